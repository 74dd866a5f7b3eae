package fleet

import (
	"context"
	"flag"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var foreign = flag.Int("foreign", 20, "how many pods of others the cluster gets while gati-webhook's memory is measured")

// others is a pod that no controller of Gati has to do with. Nothing schedules it, so that it
// costs the cluster as little as can be.
const others = `
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: NAMESPACE, labels: {app: other}}
spec:
  schedulingGates: [{name: bench.example/never}]
  containers: [{name: app, image: app, env: [{name: A, value: b}], resources: {requests: {cpu: 100m, memory: 64Mi}}}]
`

// foreignPods measures pods of others beside the handlers.
func (b *bench) foreignPods(ns string) {
	b.t.Helper()
	env.Namespace(b.t, ns)
	b.measurePhase("foreign pods", *foreign, func(began time.Time, f *Figures) {
		b.forEachWorkload(0, *foreign, func(ctx context.Context, name string) error {
			pods, err := decodeObjects(fillTemplate(others, name, ns))
			if err != nil {
				return err
			}
			return b.createIn(ctx, ns, pods[0])
		})
		f.Took = time.Since(began)
	})
}

func (b *bench) createObject(ctx context.Context, o *unstructured.Unstructured) error {
	return b.createIn(ctx, b.ns, o)
}
