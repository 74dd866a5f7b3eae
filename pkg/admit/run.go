package admit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	// Errors say what is wrong, where, and what to do; with any, there is no plan.
	Errors field.ErrorList
	// Warnings are short sentences about what is allowed but seldom meant.
	Warnings []string
	// Hash is that of the user's inputs. It is empty for a GatiVersion, and while
	// there is any fault, also one that is let through because it was stored
	// before: then there is no plan either.
	Hash string
	// Plan are the children as they would be created from nothing.
	Plan []client.Object
	// Derived names what was left open and where its value comes from.
	Derived []string
	// Breaking has a version that breaks callers, for the audit log; empty where none
	// does. OverriddenBy is who allows it.
	Breaking, OverriddenBy string
	// Undecided is why versions could not be compared in time; the rest does not count
	// then.
	Undecided error
}

// run validates, resolves and expands one object for itself.
func (p Pipeline) run(obj, old client.Object, f facts.Facts) Result {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		result, resolved := p.Handler(o, as[v1.GatiHandler](old), f)
		return result.withHandlerPlan(o, resolved)
	case *v1.GatiModule:
		result, resolved := Module(o, as[v1.GatiModule](old), f)
		return result.withModulePlan(o, resolved)
	case *v1.GatiVersion:
		return p.Version(o, as[v1.GatiVersion](old))
	default:
		return Result{Errors: field.ErrorList{field.InternalError(nil, fmt.Errorf("%T is no kind of gati.dev/v1", obj))}}
	}
}

// as returns the object as a *T, or nil.
func as[T any](obj any) *T {
	typed, _ := obj.(*T)
	return typed
}

// Handler checks and resolves a handler, without a plan. The controllers start
// from it: their plan depends on revisions that they alone know.
func Handler(h, old *v1.GatiHandler, f facts.Facts) (Result, defaulting.Handler) {
	return Pipeline{}.Handler(h, old, f)
}

// Handler is the function Handler.
func (p Pipeline) Handler(h, old *v1.GatiHandler, f facts.Facts) (Result, defaulting.Handler) {
	out := Result{Warnings: validation.WarnHandler(h)}
	resolved, unresolved := defaulting.ResolveHandler(&h.Spec, f)
	unresolved = append(unresolved, checkTarget(h, f)...)
	faults := p.documents(append(validation.ValidateHandler(h, old), unresolved...), h.Spec.Schema)
	out.Errors, out.Warnings = ratchet(faults, out.Warnings, func() field.ErrorList {
		_, unresolved := defaulting.ResolveHandler(&old.Spec, f)
		unresolved = append(unresolved, checkTarget(old, f)...)
		return p.documents(append(validation.ValidateHandler(old, nil), unresolved...), old.Spec.Schema)
	}, old != nil)
	if len(faults) == 0 {
		out.Hash, out.Derived = expand.HandlerInputs(&h.Spec, f), resolved.Scale.AppendNote(resolved.Derived)
	}
	return out, resolved
}

// Module checks and resolves a module, without a plan.
func Module(m, old *v1.GatiModule, f facts.Facts) (Result, defaulting.Module) {
	out := Result{Warnings: validation.WarnModule(m)}
	resolved, unresolved := defaulting.ResolveModule(m.Name, &m.Spec, f)
	unresolved = append(unresolved, checkTarget(m, f)...)
	faults := append(validation.ValidateModule(m, old), unresolved...)
	out.Errors, out.Warnings = ratchet(faults, out.Warnings, func() field.ErrorList {
		_, unresolved := defaulting.ResolveModule(old.Name, &old.Spec, f)
		unresolved = append(unresolved, checkTarget(old, f)...)
		return append(validation.ValidateModule(old, nil), unresolved...)
	}, old != nil)
	if len(faults) == 0 {
		out.Hash, out.Derived = expand.ModuleInputs(&m.Spec, f), resolved.Scale.AppendNote(resolved.Derived)
	}
	return out, resolved
}

// withHandlerPlan adds the children as they would be created from nothing.
func (r Result) withHandlerPlan(h *v1.GatiHandler, resolved defaulting.Handler) Result {
	if r.Hash != "" {
		revision := expand.NewHandlerRevision(h, resolved, r.Hash, 1, nil)
		r.Plan = expand.HandlerAlone(h, resolved, revision, nil, expand.Live{}).Objects
	}
	return r
}

// withModulePlan adds the children as they would be created from nothing.
func (r Result) withModulePlan(m *v1.GatiModule, resolved defaulting.Module) Result {
	if r.Hash != "" {
		revision := expand.NewModuleRevision(m, resolved, r.Hash, nil)
		r.Plan = expand.Module(m, resolved, revision, nil, []int32{*resolved.Spec.Port}, expand.Live{}).Objects
	}
	return r
}

// Version checks a record.
func (p Pipeline) Version(v, old *v1.GatiVersion) Result {
	out := Result{}
	faults := p.documents(validation.ValidateVersion(v, old), v.Spec.Schema)
	out.Errors, out.Warnings = ratchet(faults, out.Warnings, func() field.ErrorList {
		return p.documents(validation.ValidateVersion(old, nil), old.Spec.Schema)
	}, old != nil)
	return out
}

// byField orders faults: those of a map come in any order, and a message that
// says the same in another order would look like a change.
func byField(a, b *field.Error) int {
	return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.Error(), b.Error()))
}

// ratchet turns faults that the stored object has already into warnings: a rule
// that was tightened must not lock anybody out of their own object.
func ratchet(errs field.ErrorList, warnings []string, before func() field.ErrorList, stored bool) (field.ErrorList, []string) {
	slices.SortStableFunc(errs, byField)
	if !stored || len(errs) == 0 {
		return errs, warnings
	}
	kept, softened := validation.SplitStoredErrors(errs, before())
	return kept, append(softened, warnings...)
}
