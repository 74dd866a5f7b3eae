package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/schema"
)

// Judge compares the versions of families and caches the reports. Its zero value is
// ready to use and safe for concurrent use.
type Judge struct {
	// Read reads a document; schema.Parse when nil.
	Read func(raw []byte) (*schema.Schema, error)

	flights flights
	// whole and ctx are set in a Judge returned by Within.
	whole *Judge
	ctx   context.Context
}

// Within returns a Judge for one caller. It shares the cache and waits no longer than
// the context.
func (j *Judge) Within(ctx context.Context) *Judge {
	if j == nil {
		return nil
	}
	return &Judge{Read: j.Read, whole: j, ctx: ctx}
}

// Verdict is the effect of a version on callers of older versions.
type Verdict struct {
	Version string
	// Breaks are the versions whose callers it breaks, the stable one first.
	Breaks []Break
	// Breaking is true when the schemas show a break, Claimed when only the author
	// claims one.
	Breaking, Claimed bool
	// Denied is true when the schemas show a break and the author claims there is none.
	Denied bool
}

// Break is one version whose callers are broken.
type Break struct {
	// Of is the version.
	Of string
	// Findings are the reasons; empty when only the author claims the break.
	Findings []schema.Finding
	// Uncovered describes the missing transformers; empty when they cover the pair.
	Uncovered string
}

// Verdict judges a version of a family.
//
// The baseline is the stable version, or in transitive families every live older
// version. A version older than the stable one is not judged: it has served before, and
// a rollback must not depend on schemas.
//
// The only error is that of the context of Within.
func (j *Judge) Verdict(f Family, version string) (Verdict, error) {
	out := Verdict{Version: version}
	v, at := f.findVersion(version)
	_, stable := f.findVersion(f.Stable)
	if f.Policy.Mode == schema.None || at < 0 || stable < 0 || at <= stable {
		return out, nil
	}
	claimed := v.Claimed != nil && *v.Claimed
	if err := j.compareOlder(&out, f, at, stable, claimed); err != nil {
		return Verdict{Version: version}, fmt.Errorf("compare the schemas of %s: %w", version, err)
	}
	if !out.Breaking && !claimed {
		out.Breaks = nil // Versions that merely serve beside it are no baseline.
	}
	out.Claimed = claimed && !out.Breaking && len(out.Breaks) > 0
	out.Denied = out.Breaking && v.Claimed != nil && !*v.Claimed
	return out, nil
}

// compareOlder compares the version at an index with every older version that matters.
func (j *Judge) compareOlder(out *Verdict, f Family, at, stable int, claimed bool) error {
	// The version's own run is needed even when it is not live or has an override.
	f.Declared, f.Versions = out.Version, slices.Clone(f.Versions)
	f.Versions[at].Overridden = false
	runs, err := j.Runs(f)
	if err != nil {
		return err
	}
	chain, is := f.hopChain(runs), j.parseSchema(f.Versions[at].Schema)
	for i := at - 1; i >= 0; i-- {
		old := f.Versions[i]
		if !f.isCompared(i, stable) {
			continue
		}
		report, err := j.compareSchemas(f.Namespace, j.parseSchema(old.Schema), is, f.Policy.Mode)
		if err != nil {
			return err
		}
		baseline := i == stable || f.Policy.Transitive
		out.Breaking = out.Breaking || baseline && report.Breaking
		if report.Breaking || claimed && baseline {
			out.addBreak(breakOf(old, out.Version, report, chain), i == stable)
		}
	}
	return nil
}

// isCompared reports whether newer versions are compared with the one at i: the stable
// version, or a live one that serves or that a transitive family counts.
func (f Family) isCompared(i, stable int) bool {
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

// addBreak appends a break; the one with the stable version comes first.
func (v *Verdict) addBreak(b Break, first bool) {
	if first {
		v.Breaks = append([]Break{b}, v.Breaks...)
		return
	}
	v.Breaks = append(v.Breaks, b)
}

// parseSchema parses the documents of a schema. A document that was stored in spite of its
// faults promises nothing to callers and counts as absent.
func (j *Judge) parseSchema(s *v1.VersionSchema) schema.Version {
	read := j.Read
	if read == nil {
		read = schema.Parse
	}
	var out schema.Version
	for i, into := range []**schema.Schema{&out.Input, &out.Output} {
		if doc := documents[i].documentIn(s); doc != nil {
			if parsed, err := read(doc.Raw); err == nil {
				*into = parsed
			}
		}
	}
	return out
}

func (j *Judge) compareSchemas(namespace string, old, new schema.Version, mode schema.Mode) (schema.Report, error) {
	key := comparison{old.Digests(), new.Digests(), mode}
	if key.old == key.new {
		return schema.Report{}, nil
	}
	whole, ctx := j, context.Background()
	if j.whole != nil {
		whole, ctx = j.whole, j.ctx
	}
	return whole.flights.compareOnce(ctx, namespace, key, func(ctx context.Context) (schema.Report, error) {
		return schema.CompareWithin(ctx, old, new, mode)
	})
}

// Uncovered returns the first break that transformers do not cover; nil when the
// version may take traffic.
func (v Verdict) Uncovered() *Break {
	for i := range v.Breaks {
		if v.Breaks[i].Uncovered != "" {
			return &v.Breaks[i]
		}
	}
	return nil
}

// Worst returns the break to report: the first uncovered one, else the first.
func (v Verdict) Worst() *Break {
	if b := v.Uncovered(); b != nil || len(v.Breaks) == 0 {
		return b
	}
	return &v.Breaks[0]
}

// Lines returns the first findings, one line each.
func (b Break) Lines(most int) []string {
	var out []string
	for _, f := range b.Findings[:min(most, len(b.Findings))] {
		out = append(out, clipText(f.String(), maxLine))
	}
	return out
}

// Held returns why a version must not take weighted traffic; empty when it may.
func (v Verdict) Held() string {
	b := v.Uncovered()
	if b == nil {
		return ""
	}
	return fmt.Sprintf("it breaks callers of %s (%s), and %s", b.Of, b.firstReason(), b.Uncovered)
}

// firstReason returns the first reason, shortened.
func (b Break) firstReason() string {
	if len(b.Findings) == 0 {
		return "declared by its author"
	}
	text := clipText(b.Findings[0].String(), maxLine)
	if more := len(b.Findings) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// maxLine is the maximum length of a finding that is listed with others.
const maxLine = 240

func clipText(text string, most int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// Read parses the documents of a schema.
func Read(s *v1.VersionSchema) (schema.Version, error) {
	var out schema.Version
	for i, into := range []**schema.Schema{&out.Input, &out.Output} {
		doc := documents[i].documentIn(s)
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

// Uncovered returns what transformers lack to serve the callers of one version on
// another; empty when they lack nothing.
func (f Family) Uncovered(callers, version string) string {
	_, why := f.hopChain(nil).Covers(callers, version)
	return why
}

// AllowedBy returns the user who allowed traffic to a version that breaks callers, or
// an empty string. The annotation reads <version>/<user>. The policy gati-overrides
// ensures that the named user set it and had the right to.
func AllowedBy(h *v1.GatiHandler, version string) string {
	of, by, _ := strings.Cut(h.Annotations[v1.AnnotationAllowBreaking], "/")
	if of != version {
		return ""
	}
	return by
}
