// Package formats checks texts against the formats of JSON Schema, by the RFCs that
// draft 2020-12 names for them.
//
// Each check takes time linear in the text. The package must not know schemas.
package formats
