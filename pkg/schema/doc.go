// Package schema parses the JSON Schemas of a version, draft-04 to 2020-12, and decides
// whether one version serves the callers of another.
//
// Parse turns a document into a Schema, within limits that are checked first.
// Subset decides whether every document that one schema accepts is accepted by
// another. Compatibility asks that for the inputs and outputs of two versions.
//
// Yes is proven: the documents that a accepts and b refuses are split keyword by
// keyword until none is left (solve.go). No comes with such a document, evaluated
// against both schemas (eval.go). Otherwise the answer is undecided, and counts as
// breaking. Steps are counted, so the same question always gets the same answer.
//
// The package is pure: it knows no objects, traffic or clients.
package schema
