package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/schema"
)

// Judge compares the versions of families and remembers what it found. Its zero
// value is ready, and safe for concurrent use.
type Judge struct {
	// Read reads a document; schema.Parse when nil.
	Read func(raw []byte) (*schema.Schema, error)

	flights flights
	// whole and ctx are those of a Judge that Within returned.
	whole *Judge
	ctx   context.Context
}

// Within returns the Judge for one caller: it shares what was found, and waits until the
// context ends.
func (j *Judge) Within(ctx context.Context) *Judge {
	if j == nil {
		return nil
	}
	return &Judge{Read: j.Read, whole: j, ctx: ctx}
}

// Verdict is the effect of a version on the callers of those before it.
type Verdict struct {
	Version string
	// Breaks are the versions whose callers it breaks, the stable one first.
	Breaks []Break
	// Breaking is true when schemas show it, Claimed when the author says so.
	Breaking, Claimed bool
	// Denied is true when the author says the contrary.
	Denied bool
}

// Break is one version whose callers are broken.
type Break struct {
	// Of is the version.
	Of string
	// Findings are why; none where the author claims it.
	Findings []schema.Finding
	// Uncovered says what transformers lack; empty where they cover the two.
	Uncovered string
}

// Verdict judges a version of a family.
//
// It is held against what it would replace: the stable version, or in transitive
// families every live one before it. A version from before the stable one is not
// judged: it has served already, and going back must not wait for schemas.
//
// The error is that of the context of Within.
func (j *Judge) Verdict(f Family, version string) (Verdict, error) {
	out := Verdict{Version: version}
	v, at := f.find(version)
	_, stable := f.find(f.Stable)
	if f.Policy.Mode == schema.None || at < 0 || stable < 0 || at <= stable {
		return out, nil
	}
	claimed := v.Claimed != nil && *v.Claimed
	if err := j.against(&out, f, at, stable, claimed); err != nil {
		return Verdict{Version: version}, fmt.Errorf("compare the schemas of %s: %w", version, err)
	}
	if !out.Breaking && !claimed {
		out.Breaks = nil // What it serves beside is no baseline.
	}
	out.Claimed = claimed && !out.Breaking && len(out.Breaks) > 0
	out.Denied = out.Breaking && v.Claimed != nil && !*v.Claimed
	return out, nil
}

// against holds the version at one place against all before it that count.
func (j *Judge) against(out *Verdict, f Family, at, stable int, claimed bool) error {
	// Its own run is to be found whether it lives or not, and whoever has allowed it.
	f.Declared, f.Versions = out.Version, slices.Clone(f.Versions)
	f.Versions[at].Overridden = false
	runs, err := j.Runs(f)
	if err != nil {
		return err
	}
	chain, is := f.chain(runs), j.read(f.Versions[at].Schema)
	for i := at - 1; i >= 0; i-- {
		old := f.Versions[i]
		if !f.besides(i, stable) {
			continue
		}
		report, err := j.compare(f.Namespace, j.read(old.Schema), is, f.Policy.Mode)
		if err != nil {
			return err
		}
		baseline := i == stable || f.Policy.Transitive
		out.Breaking = out.Breaking || baseline && report.Breaking
		if report.Breaking || claimed && baseline {
			out.add(breakOf(old, out.Version, report, chain), i == stable)
		}
	}
	return nil
}

// besides reports whether a newer version is held against the one at i: the stable
// one, or a live one that serves or that a transitive family counts.
func (f Family) besides(i, stable int) bool {
	old := f.Versions[i]
	return i == stable || old.Live && (f.Policy.Transitive || old.Serves)
}

func breakOf(old Version, version string, report schema.Report, chain schema.Chain) Break {
	b := Break{Of: old.Name, Findings: report.Findings}
	if _, why := chain.Covers(old.Name, version); why != "" {
		b.Uncovered = why
	}
	return b
}

// add appends what a version breaks, the stable one first.
func (v *Verdict) add(b Break, first bool) {
	if first {
		v.Breaks = append([]Break{b}, v.Breaks...)
		return
	}
	v.Breaks = append(v.Breaks, b)
}

// read reads what can be read. A document that was stored in spite of its faults
// has promised nothing that anybody could hold others to.
func (j *Judge) read(s *v1.VersionSchema) schema.Version {
	read := j.Read
	if read == nil {
		read = schema.Parse
	}
	var out schema.Version
	for i, into := range []**schema.Schema{&out.Input, &out.Output} {
		if doc := documents[i].in(s); doc != nil {
			if parsed, err := read(doc.Raw); err == nil {
				*into = parsed
			}
		}
	}
	return out
}

func (j *Judge) compare(namespace string, old, new schema.Version, mode schema.Mode) (schema.Report, error) {
	key := comparison{old.Digests(), new.Digests(), mode}
	if key.old == key.new {
		return schema.Report{}, nil
	}
	whole, ctx := j, context.Background()
	if j.whole != nil {
		whole, ctx = j.whole, j.ctx
	}
	return whole.flights.run(ctx, namespace, key, func(ctx context.Context) (schema.Report, error) {
		return schema.CompareWithin(ctx, old, new, mode)
	})
}

// Uncovered is the first break that transformers do not cover; nil where the
// version may take traffic.
func (v Verdict) Uncovered() *Break {
	for i := range v.Breaks {
		if v.Breaks[i].Uncovered != "" {
			return &v.Breaks[i]
		}
	}
	return nil
}

// Worst is the break to speak of: the first that is not covered, else the first.
func (v Verdict) Worst() *Break {
	if b := v.Uncovered(); b != nil || len(v.Breaks) == 0 {
		return b
	}
	return &v.Breaks[0]
}

// Lines are the first findings, one line each.
func (b Break) Lines(most int) []string {
	var out []string
	for _, f := range b.Findings[:min(most, len(b.Findings))] {
		out = append(out, clip(f.String(), maxLine))
	}
	return out
}

// Held says why a version must not take weighted traffic; empty where it may.
func (v Verdict) Held() string {
	b := v.Uncovered()
	if b == nil {
		return ""
	}
	return fmt.Sprintf("it breaks callers of %s (%s), and %s", b.Of, b.first(), b.Uncovered)
}

// first is the first reason in a few words.
func (b Break) first() string {
	if len(b.Findings) == 0 {
		return "its author says so"
	}
	text := clip(b.Findings[0].String(), maxLine)
	if more := len(b.Findings) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// maxLine is how long a finding may be where there are others beside it.
const maxLine = 240

func clip(text string, most int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// Read reads the documents of a schema.
func Read(s *v1.VersionSchema) (schema.Version, error) {
	var out schema.Version
	for i, into := range []**schema.Schema{&out.Input, &out.Output} {
		doc := documents[i].in(s)
		if doc == nil {
			continue
		}
		parsed, err := schema.Parse(doc.Raw)
		if err != nil {
			return out, fmt.Errorf("schema.%s: %w", documents[i].name, err)
		}
		*into = parsed
	}
	return out, nil
}

// Uncovered says what transformers lack to serve the callers of one version on another;
// empty where they do.
func (f Family) Uncovered(callers, version string) string {
	_, why := f.chain(nil).Covers(callers, version)
	return why
}
