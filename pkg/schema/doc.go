// Package schema reads the JSON Schemas of a version, draft 2020-12, and decides
// whether one version serves the callers of another.
//
// Parse turns a document into a Schema, within limits that are checked before
// anything is built. Subset asks whether every document that one schema accepts
// is accepted by another; Compare asks it for inputs and outputs as a
// compatibility mode wants it.
//
// A yes rests on a proof: the documents that a accepts and b refuses are taken
// apart keyword by keyword until none is left (solve.go). A no rests on such a
// document, which both schemas have judged (eval.go). Whatever is neither is
// undecided, and counts as breaking. The work is bounded by a count of steps, so
// the same question always has the same answer.
//
// It is pure, and must not know of versions as objects, of traffic or of clients.
package schema
