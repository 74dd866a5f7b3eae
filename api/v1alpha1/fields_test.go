package v1alpha1

import "testing"

func TestFieldPath(t *testing.T) {
	tests := map[string]struct{ kind, path, want string }{
		"renamed":            {"GatiHandler", "spec.path", "spec.handlerPath"},
		"renamed, of a list": {"GatiVersion", "spec.transformers[0].name", "spec.transformers[0].name"},
		"a record's traffic": {"GatiVersion", "spec.traffic", "spec.routingWeight"},
		"a module's type":    {"GatiModule", "spec.type", "spec.moduleType"},
		"the same":           {"GatiHandler", "spec.resources.requests[cpu]", "spec.resources.requests[cpu]"},
		"of v1 alone":        {"GatiHandler", "spec.rollout.strategy", "spec.rollout.strategy"},
		"only begins alike":  {"GatiHandler", "spec.pathMatch", "spec.pathMatch"},
		"no spec":            {"GatiHandler", "metadata.name", "metadata.name"},
		"unknown kind":       {"Pod", "spec.path", "spec.path"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := FieldPath(tc.kind, tc.path); got != tc.want {
				t.Errorf("want %s, got %s", tc.want, got)
			}
		})
	}
}
