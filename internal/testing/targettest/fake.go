// Package targettest has a target without a cluster, for tests of their callers. It
// must not know what a plan means.
package targettest

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target"
)

// Fake notes what is applied, and answers as a test tells it to.
type Fake struct {
	// Applied are kind and name of the objects of every plan.
	Applied []string
	// Plan is the last one.
	Plan    target.Plan
	Outcome target.Outcome
	Err     error
	// Holds is the finalizer. Left is how many more calls Delete needs.
	Holds   string
	Left    int
	Deleted int
}

var _ target.Target = (*Fake)(nil)

// Set returns the targets of a process that has the fake alone.
func (f *Fake) Set() target.Set { return target.Set{v1.TargetKubernetes: f} }

// Inspect implements target.Target.
func (f *Fake) Inspect(_ context.Context, _ client.Object, plan target.Plan) (target.Outcome, error) {
	out := target.Outcome{Children: append([]target.Child(nil), plan.Held...)}
	for _, o := range plan.Objects {
		out.Writes = append(out.Writes, target.Write{Action: target.Updated, Kind: o.GetObjectKind().GroupVersionKind().Kind, Name: o.GetName()})
	}
	return out, nil
}

// Apply implements target.Target.
func (f *Fake) Apply(_ context.Context, _ client.Object, plan target.Plan) (target.Outcome, error) {
	f.Plan = plan
	for _, o := range plan.Objects {
		f.Applied = append(f.Applied, o.GetObjectKind().GroupVersionKind().Kind+"/"+o.GetName())
	}
	f.Outcome.Children = append(f.Outcome.Children, plan.Held...)
	return f.Outcome, f.Err
}

// Delete implements target.Target.
func (f *Fake) Delete(context.Context, client.Object) (bool, error) {
	f.Deleted++
	return f.Deleted > f.Left && f.Err == nil, f.Err
}

// Finalizer implements target.Target.
func (f *Fake) Finalizer() string { return f.Holds }
