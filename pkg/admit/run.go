package admit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/validation"
)

// Result is the pipeline's result for one object.
type Result struct {
	// Errors have field, problem and remedy; with any, there are no children. There are at
	// most MaxErrors, and one that counts the others.
	Errors field.ErrorList
	// Warnings are short sentences about settings that are valid but rarely intended.
	Warnings []string
	// Hash is the hash of the user's inputs. Without children it is empty: for a
	// GatiVersion, and for any fault, even one that the stored object already had.
	Hash string
	// Handler or Module is the resolved spec of the object; both are nil for a GatiVersion.
	Handler *defaulting.Handler
	Module  *defaulting.Module
	// Derived names the unset fields and the origin of their values.
	Derived []string
	// Breaking describes a version that breaks callers, for the audit log; OverriddenBy
	// is the user who allowed it. Both are empty otherwise.
	Breaking, OverriddenBy string
	// Undecided is the error of a comparison that took too long; the rest of the result
	// is then invalid.
	Undecided error
}

// runChecks validates and resolves one object without its surroundings.
func (p Pipeline) runChecks(obj, old client.Object, f facts.Facts) Result {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		result, resolved := p.Handler(o, asType[v1.GatiHandler](old), f)
		result.Handler = &resolved
		return result
	case *v1.GatiModule:
		result, resolved := Module(o, asType[v1.GatiModule](old), f)
		result.Module = &resolved
		return result
	case *v1.GatiVersion:
		return p.Version(o, asType[v1.GatiVersion](old))
	default:
		return Result{Errors: field.ErrorList{field.InternalError(nil, fmt.Errorf("%T is no kind of gati.dev/v1", obj))}}
	}
}

// asType returns the object as a *T, or nil.
func asType[T any](obj any) *T {
	typed, _ := obj.(*T)
	return typed
}

// Handler checks and resolves a handler. The controllers call it: only they know the
// revisions that their plan depends on.
func Handler(h, old *v1.GatiHandler, f facts.Facts) (Result, defaulting.Handler) {
	return Pipeline{}.Handler(h, old, f)
}

// Handler is the function Handler.
func (p Pipeline) Handler(h, old *v1.GatiHandler, f facts.Facts) (Result, defaulting.Handler) {
	out := Result{Warnings: validation.WarnHandler(h)}
	resolved, unresolved := defaulting.ResolveHandler(&h.Spec, f)
	out.Warnings = append(out.Warnings, warnDerivedVersion(h, resolved)...)
	out.Warnings = append(out.Warnings, warnScrapes(h.Spec.Rollout, f.ScrapeInterval)...)
	unresolved = append(unresolved, checkTarget(h, f)...)
	faults, unchecked := p.checkDocuments(append(validateHandler(h, old), unresolved...), h.Spec.Schema)
	out.Errors, out.Warnings = ratchetErrors(faults, out.Warnings, func() field.ErrorList {
		_, unresolved := defaulting.ResolveHandler(&old.Spec, f)
		unresolved = append(unresolved, checkTarget(old, f)...)
		before, _ := p.checkDocuments(append(validateHandler(old, nil), unresolved...), old.Spec.Schema)
		return before
	}, old != nil)
	if len(faults) == 0 {
		out.Warnings = append(out.Warnings, unchecked...)
		out.Hash, out.Derived = expand.HandlerInputs(&h.Spec, f), resolved.Scale.AppendNote(resolved.Derived)
	}
	return out, resolved
}

// minScrapes is how many scrapes an interval of an analysis has at least: an increase takes two.
const minScrapes = 2

// warnScrapes warns of intervals that Prometheus reads the metrics too seldom for.
func warnScrapes(r *v1.Rollout, scrape time.Duration) []string {
	if r == nil || r.Strategy != v1.StrategyCanary || r.Analysis == nil || r.Analysis.IsOff() {
		return nil
	}
	interval, least := r.Analysis.Interval.OrDefault(v1.DefaultAnalysisInterval), minScrapes*scrape
	if interval >= least {
		return nil
	}
	return []string{fmt.Sprintf("spec.rollout.analysis.interval: %s has fewer than %d scrapes of Prometheus; set %s or more", interval, minScrapes, least)}
}

// minCommitLength is the length of the shortest abbreviation of a commit that is in use.
const minCommitLength = 7

// warnDerivedVersion returns a sentence about an image's tag that was taken for a version and
// looks like a commit: one of some thirty abbreviated commits has digits alone.
func warnDerivedVersion(h *v1.GatiHandler, resolved defaulting.Handler) []string {
	v := resolved.Version
	if h.Spec.Version != "" || len(v) < minCommitLength || strings.Trim(v, "0123456789") != "" {
		return nil
	}
	return []string{fmt.Sprintf("spec.version: the image's tag %s counts as a version; if it is a commit or a build, set spec.version", v)}
}

// Module checks and resolves a module.
func Module(m, old *v1.GatiModule, f facts.Facts) (Result, defaulting.Module) {
	out := Result{Warnings: validation.WarnModule(m)}
	resolved, unresolved := defaulting.ResolveModule(m.Name, &m.Spec, f)
	unresolved = append(unresolved, checkTarget(m, f)...)
	faults := append(validateModule(m, old), unresolved...)
	out.Errors, out.Warnings = ratchetErrors(faults, out.Warnings, func() field.ErrorList {
		_, unresolved := defaulting.ResolveModule(old.Name, &old.Spec, f)
		unresolved = append(unresolved, checkTarget(old, f)...)
		return append(validateModule(old, nil), unresolved...)
	}, old != nil)
	if len(faults) == 0 {
		out.Hash, out.Derived = expand.ModuleInputs(&m.Spec, f), resolved.Scale.AppendNote(resolved.Derived)
	}
	return out, resolved
}

// Expand returns the children of an object that Check found no fault with, as a new
// object's would be created.
func (r Result) Expand(obj client.Object) []client.Object {
	h, m := asType[v1.GatiHandler](obj), asType[v1.GatiModule](obj)
	switch {
	case r.Hash == "":
		return nil
	case h != nil:
		revision := expand.NewHandlerRevision(h, *r.Handler, r.Hash, 1, nil)
		return expand.HandlerAlone(h, *r.Handler, revision, nil, nil).Objects
	case m != nil:
		revision := expand.NewModuleRevision(m, *r.Module, r.Hash, nil)
		return expand.Module(m, *r.Module, revision, nil, []int32{*r.Module.Spec.Port}, nil).Objects
	default:
		return nil
	}
}

// Version checks a record.
func (p Pipeline) Version(v, old *v1.GatiVersion) Result {
	out := Result{}
	faults, unchecked := p.checkDocuments(validateVersion(v, old), v.Spec.Schema)
	out.Errors, out.Warnings = ratchetErrors(faults, out.Warnings, func() field.ErrorList {
		before, _ := p.checkDocuments(validateVersion(old, nil), old.Spec.Schema)
		return before
	}, old != nil)
	if len(faults) == 0 {
		out.Warnings = append(out.Warnings, unchecked...)
	}
	return out
}

// ratchetErrors turns errors that the stored object already has into warnings: a tightened
// rule must not block other changes of an object.
func ratchetErrors(errs field.ErrorList, warnings []string, before func() field.ErrorList, stored bool) (field.ErrorList, []string) {
	sortByField(errs)
	if !stored || len(errs) == 0 {
		return limitErrors(errs), warnings
	}
	kept, softened := validation.SplitStoredErrors(errs, before())
	return limitErrors(kept), append(softened, warnings...)
}

// MaxErrors is how many errors of an object are named.
const MaxErrors = 20

// limitErrors returns the first MaxErrors, and an error that counts the others.
func limitErrors(errs field.ErrorList) field.ErrorList {
	if len(errs) <= MaxErrors {
		return errs
	}
	text := fmt.Sprintf("and %d more errors", len(errs)-MaxErrors)
	return append(errs[:MaxErrors:MaxErrors], field.Invalid(field.NewPath("spec"), field.OmitValueType{}, text).WithOrigin(errs[MaxErrors].Origin))
}

// sortByField orders errors: errors about map entries come in random order, and a reordered
// message would look like a change.
func sortByField(errs field.ErrorList) {
	texts := make(map[*field.Error]string, len(errs))
	for _, e := range errs {
		texts[e] = e.Error()
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(texts[a], texts[b]))
	})
}
