// Package schemas makes JSON Schemas and documents for property tests: pairs of
// which one is known to be narrower, any schema at all, and documents that pass
// or nearly pass.
//
// It is for tests alone. It must not know how schemas are compared.
package schemas
