// Package schemas generates JSON Schemas and documents for property tests: pairs of
// which one is known to be narrower, arbitrary schemas, and documents that pass or
// nearly pass.
//
// It is for tests only. It must not know how schemas are compared.
package schemas
