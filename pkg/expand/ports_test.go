package expand_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
)

// portsRule decides the ports of Services, as ServedPorts does.
type portsRule func(status []int32, declared int32, live, kept []expand.Revision) []int32

// Whatever ports a handler had, in whatever order, its callers reach it.
func TestServedPorts(t *testing.T) {
	for seed := range uint64(2000) {
		if err := livePorts(t, seed, expand.ServedPorts); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestServedPortsCatchesFaults holds that the promises find each of these faults.
func TestServedPortsCatchesFaults(t *testing.T) {
	for name, faulty := range map[string]portsRule{
		"the declared port alone": func(_ []int32, declared int32, _, _ []expand.Revision) []int32 {
			return []int32{declared}
		},
		"the declared port first": func(status []int32, declared int32, live, kept []expand.Revision) []int32 {
			out := expand.ServedPorts(status, declared, live, kept)
			return append([]int32{declared}, slices.DeleteFunc(out, func(p int32) bool { return p == declared })...)
		},
		"forgets what no pod listens on": func(_ []int32, declared int32, live, _ []expand.Revision) []int32 {
			return expand.ServedPorts(nil, declared, live, nil)
		},
		"drops the port of a running version": func(status []int32, declared int32, _, _ []expand.Revision) []int32 {
			return expand.ServedPorts(status, declared, nil, nil)
		},
		"forgets with the status": func(status []int32, declared int32, live, _ []expand.Revision) []int32 {
			return expand.ServedPorts(status, declared, live, nil)
		},
		"an upgrade renames the port": func(status []int32, declared int32, live, kept []expand.Revision) []int32 {
			if out := expand.ServedPorts(status, declared, live, kept); len(status) > 0 {
				return out
			}
			return expand.ServedPorts([]int32{expand.PodPort(&live[0].Template.Spec)}, declared, live, kept)
		},
		"grows without end": func(status []int32, declared int32, _, _ []expand.Revision) []int32 {
			if slices.Contains(status, declared) {
				return status
			}
			return append(slices.Clone(status), declared)
		},
	} {
		caught := false
		for seed := uint64(0); seed < 2000 && !caught; seed++ {
			caught = livePorts(t, seed, faulty) != nil
		}
		if !caught {
			t.Errorf("%s: no promise was broken", name)
		}
	}
}

// livePorts changes the port of a handler at random, and returns the first promise that a
// rule breaks. A handler has a live revision of each of its last two ports.
func livePorts(t *testing.T, seed uint64, rule portsRule) error {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	var status []int32
	revisions := []expand.Revision{listening(t, 3000)}
	for range 30 {
		declared := 3000 + random.Int32N(25)
		kept := revisions
		revisions = append(slices.Clone(revisions), listening(t, declared))
		live := revisions[len(revisions)-2:]
		if random.IntN(3) == 0 {
			live = append(revisions[:1:1], live...) // The first version serves on.
		}
		before := status
		if random.IntN(15) == 0 {
			status = nil
		}
		isLost := len(status) == 0
		status = rule(status, declared, live, kept)
		if err := checkPorts(before, status, isLost, live); err != nil {
			return err
		}
		if isLost && status[0] != declared {
			return fmt.Errorf("the first of %v is not %d: a release without status.ports has the declared port alone, and it keeps its name", status, declared)
		}
		if again := rule(status, declared, live, revisions); !slices.Equal(again, status) {
			return fmt.Errorf("%v becomes %v without a change", status, again)
		}
	}
	return nil
}

// checkPorts returns a promise that the ports after a change break.
func checkPorts(before, after []int32, isLost bool, live []expand.Revision) error {
	const most = 20 // 16, and those in use.
	sorted := slices.Clone(after)
	slices.Sort(sorted)
	switch {
	case len(slices.Compact(sorted)) != len(after):
		return fmt.Errorf("%v has a port twice", after)
	case len(after) > most:
		return fmt.Errorf("%v are %d ports", after, len(after))
	case !isLost && len(before) > 0 && after[0] != before[0]:
		return fmt.Errorf("the first port was %d, and is %d: it has another name", before[0], after[0])
	}
	for _, r := range live {
		if p := expand.PodPort(&r.Template.Spec); !slices.Contains(after, p) {
			return fmt.Errorf("the port %d of a running version is not in %v", p, after)
		}
	}
	if len(before) >= 16 {
		return nil // The oldest may go.
	}
	for _, p := range before {
		if !slices.Contains(after, p) {
			return fmt.Errorf("the port %d is gone: %v were %v", p, after, before)
		}
	}
	return nil
}

var listeners = map[int32]expand.Revision{}

// listening returns a revision whose pods listen on a port.
func listening(t *testing.T, port int32) expand.Revision {
	t.Helper()
	if _, ok := listeners[port]; !ok {
		listeners[port] = cut(t, builders.MakeHandler("users").Port(port).Obj())
	}
	return listeners[port]
}

// Every port of a Service leads to the port by name, which each template has for itself.
func TestServicePorts(t *testing.T) {
	ports := []int32{3000, 8080}
	h := builders.MakeHandler("users").Path("/users").Port(8080).Gateway("gw").Obj()
	want := []corev1.ServicePort{servicePort("http", 3000), servicePort("http-8080", 8080)}
	plan := serveAt(t, h, "v2", ports, share("v1", "v1", 1, 50), share("v2", "v2", 1, 50))
	count := 0
	for _, o := range plan.Objects {
		if s, ok := o.(*corev1.Service); ok {
			count++
			if !slices.Equal(s.Spec.Ports, want) {
				t.Errorf("Service %s has the ports %+v, want %+v", s.Name, s.Spec.Ports, want)
			}
		}
	}
	if count != 3 {
		t.Errorf("%d Services, want 3", count)
	}
}

func servicePort(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString("http"), Protocol: corev1.ProtocolTCP}
}
