package schema

import (
	"context"
	"fmt"
)

// Mode is the compatibility that a new version must keep.
type Mode string

// The modes. Backward keeps the callers of the old version: it accepts what they
// send and returns what they read. Forward lets callers of the new version be
// served by the old one. Full is both.
const (
	None     Mode = "NONE"
	Backward Mode = "BACKWARD"
	Forward  Mode = "FORWARD"
	Full     Mode = "FULL"
)

// Version holds the schemas of one version; nil where it has none.
type Version struct{ Input, Output *Schema }

// Report is the result of comparing two versions.
type Report struct {
	// Breaking reports whether the mode is violated, or may be.
	Breaking bool
	// Findings are the reasons, requests first.
	Findings []Finding
}

// questionsFor returns the questions of a mode, requests first.
func questionsFor(m Mode) []question {
	var out []question
	for _, d := range []Direction{Request, Response} {
		if m == Backward || m == Full {
			out = append(out, question{direction: d})
		}
		if m == Forward || m == Full {
			out = append(out, question{direction: d, forward: true})
		}
	}
	return out
}

// Compatibility compares a new version with an old one in a mode. An old version
// without a schema promises nothing; removing a schema breaks every promise.
func Compatibility(old, new Version, mode Mode) Report {
	r, _ := CompareWithin(context.Background(), old, new, mode)
	return r
}

// CompareWithin is Compatibility until a context ends. Its error is that of the
// context; there is no report then, as it would depend on the time.
func CompareWithin(ctx context.Context, old, new Version, mode Mode) (Report, error) {
	var r Report
	for _, q := range questionsFor(mode) {
		was, is := q.schemaOf(old), q.schemaOf(new)
		switch {
		case was == nil:
		case is == nil:
			if !q.forward || mode == Forward {
				r.addFindings(No, q.schemaRemoved())
			}
		default:
			answer, findings := q.compareSchemas(ctx, was, is)
			r.addFindings(answer, findings...)
		}
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	return r, nil
}

func (r *Report) addFindings(answer Answer, findings ...Finding) {
	r.Breaking = r.Breaking || answer != Yes
	for _, f := range findings {
		if f.Undecided {
			f.Message += "; whether it breaks callers cannot be decided, so it counts as breaking"
		}
		r.Findings = append(r.Findings, f)
	}
}

func (q question) schemaOf(v Version) *Schema {
	if q.direction == Request {
		return v.Input
	}
	return v.Output
}

func (q question) fieldName() string {
	if q.direction == Request {
		return "schema.input"
	}
	return "schema.output"
}

func (q question) schemaRemoved() Finding {
	return Finding{
		Rule: "schema-removed", Direction: q.direction, Severity: Breaking, In: "old",
		Message: fmt.Sprintf("the old version has %s and the new one has none, so its callers have nothing to rely on", q.fieldName()),
		Remedy:  fmt.Sprintf("give the new version %s; copy the old one if nothing changed", q.fieldName()),
	}
}
