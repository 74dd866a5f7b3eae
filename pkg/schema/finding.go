package schema

import (
	"encoding/json"
	"strings"
)

// Direction tells requests from responses.
type Direction string

// The directions: schema.input is of requests, schema.output of responses.
const (
	Request  Direction = "request"
	Response Direction = "response"
)

// Severity tells how much a finding matters.
type Severity string

// The severities. Breaking findings decide; warnings and notes are for people.
const (
	Breaking Severity = "breaking"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Finding is one difference between two versions.
type Finding struct {
	// Rule is oasdiff's id where it has one for the difference.
	Rule      string    `json:"rule"`
	Direction Direction `json:"direction"`
	Severity  Severity  `json:"severity"`
	// Undecided marks what was not proven to break, and not to keep.
	Undecided bool `json:"undecided,omitempty"`
	// Pointer is the JSON pointer to the keyword, in the schema of the version that
	// In names: the old or the new one.
	Pointer string `json:"pointer"`
	In      string `json:"in"`
	// Path is where in a document, with * for any item or property.
	Path string `json:"path"`
	// Message is the sentence, Remedy what to do.
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	// Witness is a document that shows the difference.
	Witness json.RawMessage `json:"witness,omitempty"`
}

// String is the finding on one line.
func (f Finding) String() string {
	text := f.Rule + " at " + f.location() + ": " + f.Message
	if len(f.Witness) > 0 {
		text += "; for example " + truncate(string(f.Witness))
	}
	return text
}

func (f Finding) location() string {
	if f.Path == "" {
		return "the " + string(f.Direction) + "'s body"
	}
	return f.Path
}

// question is one of those that a mode asks.
type question struct {
	direction Direction
	// forward asks about old readers of what is new.
	forward bool
}

// isWidening reports whether the question asks whether the new schema accepts what the old
// one does. Otherwise it is the other way around.
func (q question) isWidening() bool { return (q.direction == Request) != q.forward }

// compareSchemas answers a question about two versions of one schema.
func (q question) compareSchemas(old, new *Schema) (Answer, []Finding) {
	a, b := new, old
	if q.isWidening() {
		a, b = old, new
	}
	answer, gaps := subset(a, b, true)
	out := make([]Finding, 0, len(gaps))
	for _, g := range gaps {
		out = append(out, q.newFinding(g))
	}
	return answer, out
}

func (q question) newFinding(g gap) Finding {
	f := Finding{
		Rule: q.rule(g), Direction: q.direction, Severity: Breaking, Undecided: !g.hasWitness && g.undecided,
		Pointer: g.pointer, In: "old", Path: g.path, Message: q.sentence(g), Remedy: q.remedy(g),
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
	if g.hasWitness {
		f.Witness = renderJSON(g.witness)
	}
	if f.Undecided {
		f.Message += "; whether that keeps every document cannot be decided, so it counts as breaking"
	}
	return f
}
