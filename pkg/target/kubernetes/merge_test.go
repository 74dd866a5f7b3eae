package kubernetes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
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
	fields, err := yaml.YAMLToJSON([]byte(owned))
	if err != nil {
		t.Fatal(err)
	}
	ours := ownedBy([]metav1.ManagedFieldsEntry{entry(v1.FieldManager, metav1.ManagedFieldsOperationApply, string(fields))}, v1.FieldManager)
	if diff := cmp.Diff(read(want), mergeMap(read(live), read(wanted), ours)); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}

// TestMergeAfterCreate holds that an apply leaves the defaults that the server has
// filled in at the create, which counts them as ours, and removes all else that we no
// longer want.
func TestMergeAfterCreate(t *testing.T) {
	const fields = `{"f:spec":{"f:type":{},"f:strategy":{".":{},"f:type":{}},"f:selector":{},
		"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:protocol":{}}}},
		"f:metadata":{"f:labels":{".":{},"f:gone":{},"f:ours":{}}},"f:data":{}}`
	live := object(t, `{"spec":{"type":"ClusterIP","strategy":{"type":"x"},"selector":{"a":"b"},"ports":[{"port":80,"protocol":"TCP"}]},
		"metadata":{"labels":{"gone":"a","ours":"b","theirs":"c"}},"data":{"A":"theirs"}}`)
	want := object(t, `{"spec":{"ports":[{"port":81}]},"metadata":{"labels":{"ours":"b"}}}`)
	merged := object(t, `{"spec":{"type":"ClusterIP","selector":{"a":"b"},"ports":[{"port":81}]},"metadata":{"labels":{"ours":"b","theirs":"c"}}}`)
	ours := ownedBy([]metav1.ManagedFieldsEntry{entry(v1.FieldManager, metav1.ManagedFieldsOperationUpdate, fields)}, v1.FieldManager)
	if diff := cmp.Diff(merged, mergeMap(live, want, ours)); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}
