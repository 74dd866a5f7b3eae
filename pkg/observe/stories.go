package observe

import (
	"context"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
)

// Stories reads all that is known of handlers and modules, for planning their children.
type Stories struct {
	Reader client.Reader
	// HasIndex is true where Reader is a cache with RecordIndex. An API server finds
	// records by their label, which is good enough for what decides nothing.
	HasIndex bool
	// Admit is the pipeline that admission runs.
	Admit admit.Pipeline
}

// Handler checks a handler and reads its observations, except for traffic.
func (r Stories) Handler(ctx context.Context, h *v1.GatiHandler, f facts.Facts) (decide.Story, error) {
	result, resolved := r.Admit.Handler(h, nil, f)
	s := decide.NewStory(h, f, result, resolved)
	err := r.ReadHandler(ctx, &s)
	return s, err
}

// ReadHandler reads the observations of a checked handler. All reads run at once, so that
// even a busy API server answers within the deadline of admission.
func (r Stories) ReadHandler(ctx context.Context, s *decide.Story) error {
	h := s.Handler
	reads := []func() error{
		func() (err error) { s.Revisions, err = Revisions(ctx, r.Reader, h, v1.LabelHandler); return err },
		func() (err error) { s.Workloads, err = Workloads(ctx, r.Reader, h); return err },
		func() (err error) { s.Records, err = r.listRecords(ctx, h); return err },
	}
	if s.Facts.HTTPRouteServed {
		reads = append(reads, func() error { return readRoute(ctx, r.Reader, s) })
	}
	return runTogether(reads...)
}

func (r Stories) listRecords(ctx context.Context, h *v1.GatiHandler) ([]v1.GatiVersion, error) {
	if r.HasIndex {
		return Records(ctx, r.Reader, h.Namespace, h.Name)
	}
	var list v1.GatiVersionList
	err := r.Reader.List(ctx, &list, client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name})
	return list.Items, err
}

// Module checks a module and reads its observations.
func (r Stories) Module(ctx context.Context, m *v1.GatiModule, f facts.Facts) (decide.ModuleStory, error) {
	result, resolved := admit.Module(m, nil, f)
	s := decide.NewModuleStory(m, f, result, resolved)
	err := r.ReadModule(ctx, &s)
	return s, err
}

// ReadModule reads the observations of a checked module.
func (r Stories) ReadModule(ctx context.Context, s *decide.ModuleStory) error {
	m := s.Module
	return runTogether(
		func() (err error) { s.Revisions, err = Revisions(ctx, r.Reader, m, v1.LabelModule); return err },
		func() (err error) {
			s.Workload, err = ReadWorkload(ctx, r.Reader, m.Namespace, naming.ModuleChild(m.Name))
			return err
		},
	)
}

// runTogether makes reads at once, and returns the first error in their order.
func runTogether(reads ...func() error) error {
	errs := make([]error, len(reads))
	var group errgroup.Group
	for i, read := range reads {
		group.Go(func() error {
			errs[i] = read()
			return nil
		})
	}
	_ = group.Wait() // Each has its own error.
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
