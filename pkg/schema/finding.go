package schema

import (
	"context"
	"encoding/json"
	"strings"
)

// Direction separates requests from responses.
type Direction string

// The directions: schema.input describes requests, schema.output responses.
const (
	Request  Direction = "request"
	Response Direction = "response"
)

// Severity is the weight of a finding.
type Severity string

// The severities. Breaking findings decide; warnings and notes inform.
const (
	Breaking Severity = "breaking"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Finding is one difference between two versions.
type Finding struct {
	// Rule is oasdiff's id where oasdiff has one for the difference.
	Rule      string    `json:"rule"`
	Direction Direction `json:"direction"`
	Severity  Severity  `json:"severity"`
	// Undecided marks a difference that is neither proven to break nor proven to be
	// safe.
	Undecided bool `json:"undecided,omitempty"`
	// Pointer is the JSON pointer to the keyword, in the schema of the version (old or
	// new) that In names.
	Pointer string `json:"pointer"`
	In      string `json:"in"`
	// Path is the place in a document, with * for any item or property.
	Path string `json:"path"`
	// Message describes the difference; Remedy is the next step.
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	// Witness is a document that shows the difference.
	Witness json.RawMessage `json:"witness,omitempty"`
}

// String returns the finding on one line.
func (f Finding) String() string {
	text := f.Rule + " at " + f.locationText() + ": " + f.Message
	if len(f.Witness) > 0 {
		text += "; for example " + truncateText(string(f.Witness))
	}
	return text
}

func (f Finding) locationText() string {
	if f.Path == "" {
		return "the " + string(f.Direction) + "'s body"
	}
	return f.Path
}

// question is one of the comparisons that a mode asks for.
type question struct {
	direction Direction
	// forward asks about old readers of new documents.
	forward bool
}

// isWidening reports whether the new schema must accept what the old one does, not
// the reverse.
func (q question) isWidening() bool { return (q.direction == Request) != q.forward }

func (q question) compareSchemas(ctx context.Context, old, new *Schema) (Answer, []Finding) {
	a, b := new, old
	if q.isWidening() {
		a, b = old, new
	}
	answer, gaps := findGaps(ctx, a, b, true)
	out := make([]Finding, 0, len(gaps))
	for _, g := range orderGaps(gaps) {
		f := q.newFinding(g)
		f.Pointer = b.moves.written(f.Pointer)
		out = append(out, f)
	}
	return answer, out
}

func (q question) newFinding(g gap) Finding {
	f := Finding{
		Rule: q.ruleID(g), Direction: q.direction, Severity: Breaking, Undecided: !g.hasWitness && g.undecided,
		Pointer: g.pointer, In: "old", Path: g.path, Message: q.describeGap(g), Remedy: q.remedyFor(g),
	}
	switch {
	case g.keyword == "required":
		f.Path = appendPointer(g.path, g.name)
	case g.keyword == "additionalProperties" && g.name == "":
		f.Path = strings.TrimSuffix(g.path, "/*")
	}
	if q.isWidening() {
		f.In = "new"
	}
	if g.variant != "" {
		f.Message = g.variant + ": " + f.Message
	}
	if g.hasWitness {
		f.Witness = renderWitness(g.witness)
	}
	return f
}
