package kubernetes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestMerged holds what an apply is said to make of a live object: ours changes,
// what others put there stays, and a number in another form is no change.
func TestMerged(t *testing.T) {
	const live = `
spec:
  replicas: 2
  progressDeadlineSeconds: 600
  minReadySeconds: 5
  containers:
  - {name: handler, image: "a:1", resources: {requests: {cpu: 500m}}, terminationMessagePath: /dev/log}
  - {name: old, image: "o:1"}
  - {name: sidecar, image: "s:1"}
metadata:
  labels: {ours: a, theirs: b, gone: c}
`
	const owned = `
f:spec:
  f:replicas: {}
  f:minReadySeconds: {}
  f:containers:
    'k:{"name":"handler"}': {.: {}, f:name: {}, f:image: {}, f:resources: {f:requests: {f:cpu: {}}}}
    'k:{"name":"old"}': {.: {}, f:name: {}, f:image: {}}
f:metadata:
  f:labels: {f:ours: {}, f:gone: {}}
`
	const wanted = `
spec:
  replicas: 3
  containers:
  - {name: handler, image: "a:2", resources: {requests: {cpu: "0.5"}}}
  - {name: new, image: "n:1"}
metadata:
  labels: {ours: z}
`
	const want = `
spec:
  replicas: 3
  progressDeadlineSeconds: 600
  containers:
  - {name: handler, image: "a:2", resources: {requests: {cpu: 500m}}, terminationMessagePath: /dev/log}
  - {name: sidecar, image: "s:1"}
  - {name: new, image: "n:1"}
metadata:
  labels: {ours: z, theirs: b}
`
	read := func(text string) (out map[string]any) {
		if err := yaml.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if diff := cmp.Diff(read(want), mergedMap(read(live), read(wanted), read(owned))); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}
