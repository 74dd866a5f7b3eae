package target

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Set has the targets of this process by their names.
type Set map[string]Target

// For returns the target of an owner's plan: the one that already applies its children,
// else the chosen one. A choice that changes later moves no running children.
func (s Set) For(owner client.Object, chosen string) (Target, error) {
	if held := s.Held(owner); held != nil {
		return held, nil
	}
	if t := s[chosen]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("target %q is not configured", chosen)
}

// Held returns the target whose finalizer the owner holds, nil where it holds none.
func (s Set) Held(owner client.Object) Target {
	for _, t := range s {
		if f := t.Finalizer(); f != "" && slices.Contains(owner.GetFinalizers(), f) {
			return t
		}
	}
	return nil
}
