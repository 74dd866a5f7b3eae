package checkup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gati.dev/gati/pkg/remedy"
)

// adminHint is the remedy for what the user may not read.
var adminHint = "ask someone with the right to read it to run " + string(remedy.Diagnose)

// sortedNames are the keys of a map in order.
func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func checkCRDs(f *Facts) []Finding {
	var found []Finding
	for _, name := range sortedNames(f.Shipped.CRDs) {
		object, crd := "crd/"+name, f.CRDs[name]
		switch {
		case crd.Absent && !anyCRD(f):
			return []Finding{newFixable("", "Gati is not installed: none of its CRDs exists", "install Gati", string(remedy.Install))}
		case crd.Absent:
			found = append(found, newAbsent(f, object, "does not exist"))
		case crd.Known():
			if c := findCondition(crd.Value.Status.Conditions, "Established"); c == nil || c.Status != "True" {
				found = append(found, newProblem(object, "is not established, so its kind is not served"+reasonSuffix(c), "see "+remedy.ShowCRD.For(name)))
			}
		}
	}
	return found
}

func reasonSuffix(c *Condition) string {
	if c == nil || c.Message == "" {
		return ""
	}
	return ": " + c.Message
}

// anyCRD reports whether one of the CRDs may be there.
func anyCRD(f *Facts) bool {
	for _, crd := range f.CRDs {
		if !crd.Absent {
			return true
		}
	}
	return false
}

func checkStoredVersions(f *Facts) []Finding {
	var found []Finding
	for _, name := range sortedNames(f.CRDs) {
		if crd := f.CRDs[name]; crd.Known() && !slices.Equal(crd.Value.Status.StoredVersions, []string{"v1"}) {
			stored := strings.Join(crd.Value.Status.StoredVersions, ", ")
			kind, _, _ := strings.Cut(name, ".")
			found = append(found, newFixable("crd/"+name, "may have objects stored as "+stored+", and a later release may remove that version",
				"write each anew", remedy.WriteAnew.For(kind), remedy.MarkStored.For(name)))
		}
	}
	return found
}

func checkHooks(f *Facts) []Finding {
	var found []Finding
	for _, name := range sortedNames(f.Shipped.Hooks) {
		live := f.Hooks[name]
		switch {
		case live.Absent:
			found = append(found, newAbsent(f, name, "does not exist: objects are stored unchecked"))
		case live.Known():
			found = append(found, changedHooks(f, name, live.Value)...)
		}
	}
	return found
}

// changedHooks finds changes that let requests bypass a hook.
func changedHooks(f *Facts, object string, live HookConfiguration) []Finding {
	var found []Finding
	shipped := f.Shipped.Hooks[object]
	for i := range shipped.Webhooks {
		want := &shipped.Webhooks[i]
		at := slices.IndexFunc(live.Webhooks, func(h Hook) bool { return h.Name == want.Name })
		if at < 0 {
			found = append(found, newChanged(f, object, "has no hook "+want.Name))
			continue
		}
		got := &live.Webhooks[at]
		for _, c := range []struct {
			wrong bool
			what  string
		}{
			{got.FailurePolicy != want.FailurePolicy, fmt.Sprintf("has failurePolicy %s, not %s", got.FailurePolicy, want.FailurePolicy)},
			{!isSameJSON(got.Rules, want.Rules), "has other rules than those shipped"},
			{excludesNamespaces(got), "leaves out namespaces by its namespaceSelector: there, objects are stored unchecked"},
		} {
			if c.wrong {
				found = append(found, newChanged(f, object, want.Name+" "+c.what))
			}
		}
	}
	return found
}

func excludesNamespaces(h *Hook) bool {
	s := h.NamespaceSelector
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

// isSameJSON compares two documents by content.
func isSameJSON(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func checkPolicies(f *Facts) []Finding {
	var found []Finding
	for _, name := range f.Shipped.Policies {
		policy, binding := f.Policies[name], f.Bindings[name]
		object := "policy/" + name
		switch {
		case policy.Absent:
			found = append(found, newAbsent(f, object, "does not exist"))
		case policy.Unread != "" || binding.Unread != "":
		case policy.Value.Spec.FailurePolicy != "Fail":
			found = append(found, newChanged(f, object, "has failurePolicy "+policy.Value.Spec.FailurePolicy+", not Fail"))
		case binding.Absent:
			found = append(found, newAbsent(f, object, "is not bound, so it checks nothing"))
		case binding.Value.Spec.PolicyName != name || !slices.Contains(binding.Value.Spec.ValidationActions, "Deny"):
			found = append(found, newChanged(f, object, "is bound, but denies nothing"))
		}
	}
	return found
}
