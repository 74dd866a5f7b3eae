package compat

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

// Cell is the treatment of a version.
type Cell string

// The cells of the table.
const (
	// Normal versions are rolled out like any other.
	Normal Cell = "Normal"
	// HeaderOnly versions are reached by header only and get no weight.
	HeaderOnly Cell = "HeaderOnly"
	// Refused versions are not admitted; one that is stored nevertheless is not rolled
	// out.
	Refused Cell = "Refused"
)

// Cell returns the treatment of a verdict.
//
//	strategy                    breaking, not covered   explicit weight   covered
//	RollingUpdate               Refused                 –                 Normal
//	Canary, Manual, gateway     HeaderOnly              Refused           Normal
//	Canary, Manual, no gateway  Refused                 Refused           Normal
func (p Policy) Cell(v Verdict) Cell {
	switch {
	case v.Uncovered() == nil:
		return Normal
	case p.Strategy == v1.StrategyRollingUpdate, !p.Gateway:
		return Refused
	default:
		return HeaderOnly
	}
}

// maxFindings is how many findings an error lists; the command at its end shows the
// rest.
const maxFindings = 3

// Refusal returns the error for a handler that declares a version which is not
// admitted. stored is true when the cluster has the version.
func (f Family) Refusal(v Verdict, stored bool) *field.Error {
	return field.Forbidden(v.Uncovered().fieldOf(), f.Told(v, stored))
}

// Told describes what an uncovered version breaks, how it is treated and how to fix it.
func (f Family) Told(v Verdict, stored bool) string {
	b := v.Uncovered()
	if f.Policy.Cell(v) == HeaderOnly {
		return f.listFindings(v.Version, b, "so it gets no weight and is reached by the header X-Gati-Version alone", stored) + fmt.Sprintf(
			"\n%s; record transformers from %s to %s to roll it out", asSentence(b.Uncovered), b.Of, v.Version)
	}
	why, remedy := "which would reach it as soon as its pods are ready", "use the strategy Canary with spec.route, where it is reached by its header alone"
	if f.Policy.Strategy != v1.StrategyRollingUpdate {
		why, remedy = "which would reach it, because without spec.route every ready pod gets traffic", "set spec.route, so that it is reached by its header alone"
	}
	return f.listFindings(v.Version, b, why, stored) + fmt.Sprintf(
		"\n%s; %s, or record transformers from %s to %s; users with the right override may set the annotation %s",
		asSentence(b.Uncovered), remedy, b.Of, v.Version, v1.AnnotationAllowBreaking)
}

// WeightRefusal returns the error for a user's weight on a version that must not have
// any.
func (f Family) WeightRefusal(at *field.Path, v Verdict, weight int32, stored bool) *field.Error {
	b := v.Uncovered()
	return field.Forbidden(at, f.listFindings(v.Version, b, fmt.Sprintf("and would get traffic by its weight of %d", weight), stored)+fmt.Sprintf(
		"\n%s; set it to 0, so that it is reached by its header alone, or record transformers from %s to %s", asSentence(b.Uncovered), b.Of, v.Version))
}

// Denial returns the error for an author's wrong claim that a version keeps its
// callers.
func (f Family) Denial(at *field.Path, v Verdict, stored bool) *field.Error {
	return field.Invalid(at, false, f.listFindings(v.Version, &v.Breaks[0], "although its author denies it", stored)+"\nleave it out, or set it to true")
}

// listFindings returns the lines that list the first findings.
func (f Family) listFindings(version string, b *Break, why string, stored bool) string {
	lines := []string{fmt.Sprintf("%s breaks callers of %s, %s:", version, b.Of, why)}
	if len(b.Findings) == 0 {
		lines = append(lines, "  declared by its author")
	}
	for _, line := range b.Lines(maxFindings) {
		lines = append(lines, "  "+line)
	}
	if len(b.Findings) > 0 {
		lines = append(lines, "  all of it: "+f.diffCommand(b.Of, version, stored))
	}
	return strings.Join(lines, "\n")
}

func (f Family) diffCommand(old, new string, stored bool) string {
	command := remedy.Compare
	if !stored {
		command = remedy.CompareFile
	}
	handler := f.Handler
	if f.Namespace != "" {
		handler += " -n " + f.Namespace
	}
	return command.For(handler, old, new)
}

// Warnings returns the warnings for a version that is admitted although it breaks
// callers.
func (f Family) Warnings(v Verdict, by string) []string {
	b := v.Uncovered()
	if b == nil {
		return nil
	}
	fate := "it gets no weight, X-Gati-Version reaches it"
	if by != "" {
		fate = "allowed by " + by
	}
	out := []string{fmt.Sprintf("%s breaks callers of %s: %s", v.Version, b.Of, fate)}
	out = append(out, b.Lines(maxFindings)...)
	if len(b.Findings) > 0 {
		out = append(out, f.diffCommand(b.Of, v.Version, true))
	}
	return out
}

// fieldOf returns the field of a handler that the break is reported at.
func (b Break) fieldOf() *field.Path {
	at := field.NewPath("spec", "schema")
	if len(b.Findings) == 0 {
		return field.NewPath("spec", "timescape", "breaking")
	}
	if b.Findings[0].Direction == "request" {
		return at.Child("input")
	}
	return at.Child("output")
}

func asSentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
