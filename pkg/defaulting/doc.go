// Package defaulting resolves a spec: it derives the unset fields from the spec
// itself, the image and the facts. The result is computed each time and never
// written back into a user's object.
//
// Static defaults are the CRD's, see api/v1 SetDefaults. The package must not know
// of clients, clocks or children.
package defaulting
