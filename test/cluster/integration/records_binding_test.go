package integration

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// binding is one way in which a record finds its handler.
type binding struct {
	record  *builders.Version
	handler string
	version string
}

// Binding: by spec.handler, by deploymentName, and by the longest
// name prefix whose handler has the version.
func TestRecordsFindTheirHandler(t *testing.T) {
	t.Parallel()
	cases := map[string]binding{
		"by spec.handler":            {builders.MakeVersion("anything").Handler("user"), "user", "v1.0.0"},
		"by deploymentName":          {builders.MakeVersion("whatever").Spec(setDeploymentName("handler-user-api")), "user-api", "v2.0.0"},
		"by name":                    {builders.MakeVersion("user-mine"), "user", "v1.0.0"},
		"by the longest name":        {builders.MakeVersion("user-api-mine"), "user-api", "v2.0.0"},
		"by a name with its version": {builders.MakeVersion("user-api-old").Version("v1.0.0"), "user", "v1.0.0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			createObject(t, builders.MakeHandler("user").Namespace(ns).Image("app:v1.0.0").Obj())
			createObject(t, builders.MakeHandler("user-api").Namespace(ns).Image("app:v2.0.0").Obj())
			readyHandler(t, ns, "user")
			readyHandler(t, ns, "user-api")

			record := tc.record.Namespace(ns).Obj()
			createObject(t, record)

			got := acceptedRecord(t, ns, record.Name, true)
			if got.Status.Handler != tc.handler || got.Status.Version != tc.version {
				t.Errorf("it is of %s %s, want %s %s", got.Status.Handler, got.Status.Version, tc.handler, tc.version)
			}
			if got.Labels[v1.LabelHandler] != tc.handler {
				t.Errorf("the labels do not show the binding: %v", got.Labels)
			}
		})
	}
}

func setDeploymentName(name string) func(*v1.GatiVersionSpec) {
	return func(s *v1.GatiVersionSpec) { s.DeploymentName = name }
}

// A record that comes before its handler is bound when the handler comes, and a
// binding does not change when the handler declares another version.
func TestRecordWaitsForItsHandlerAndStaysBound(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeVersion("users-first").Namespace(ns).Handler("users").Obj())
	acceptedRecord(t, ns, "users-first", false, "no GatiHandler users")

	createObject(t, builders.MakeHandler("users").Namespace(ns).Image("app:v1.0.0").Obj())
	acceptedRecord(t, ns, "users-first", true, "version v1.0.0 of handler users")

	changeObject(t, ns, "users", func(h *v1.GatiHandler) { h.Spec.Image = "app:v2.0.0" })
	readyHandler(t, ns, "users")
	onlyRecords(t, ns, map[string]string{"users-first": "v1.0.0", "users-v2-0-0": "v2.0.0"})
}
