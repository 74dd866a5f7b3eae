package integration

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// A Service keeps the ports that it served, and their names: callers and proxies go by
// them. Going back to an earlier port adds none.
func TestServicesKeepTheirPorts(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	readyModule(t, ns, "m")
	checkPorts(t, ns, "handler-a", "http 3000→http")
	checkPorts(t, ns, "module-m", "module 50051→module")

	for _, port := range []int32{8080, 3000, 8080} {
		changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Port = &port })
		changeObject(t, ns, "m", func(m *v1.GatiModule) { m.Spec.Port = &port })
		readyHandler(t, ns, "a")
		readyModule(t, ns, "m")
		checkPorts(t, ns, "handler-a", "http 3000→http", "http-8080 8080→http")
	}
	checkPorts(t, ns, "module-m", "module 50051→module", "module-8080 8080→module", "module-3000 3000→module")
	if got, want := readObject[v1.GatiHandler](t, ns, "a").Status.Ports, []int32{3000, 8080}; !slices.Equal(got, want) {
		t.Errorf("status.ports of the handler is %v, want %v", got, want)
	}
	if got, want := readObject[v1.GatiModule](t, ns, "m").Status.Ports, []int32{50051, 8080, 3000}; !slices.Equal(got, want) {
		t.Errorf("status.ports of the module is %v, want %v", got, want)
	}
	awaitSettled(t, ns)
}

// checkPorts waits until a Service has exactly these ports, in any order.
func checkPorts(t *testing.T, ns, name string, want ...string) {
	t.Helper()
	await.Eventually(t, "ports of Service "+name, func() error {
		s, err := findObject[corev1.Service](t, ns, name)
		if err != nil {
			return err
		}
		var got []string
		for _, p := range s.Spec.Ports {
			got = append(got, fmt.Sprintf("%s %d→%s", p.Name, p.Port, p.TargetPort.String()))
		}
		slices.Sort(got)
		if sorted := slices.Sorted(slices.Values(want)); !slices.Equal(got, sorted) {
			return fmt.Errorf("%q, want %q", got, sorted)
		}
		return nil
	})
}
