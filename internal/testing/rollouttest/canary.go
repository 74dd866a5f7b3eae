package rollouttest

import (
	"errors"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
)

// NewCanary returns a handler behind a gateway whose version v1 serves and whose v2 is
// declared next, with some pods of each and a load. Its pods are ready at once, and its gateway
// takes every weight at once.
func NewCanary(next Machine, load Load, steps ...v1.RolloutStep) (*Life, error) {
	l, replicas := NewLife(next, 1), int32(load.Pods)
	h, errs := defaulting.ResolveHandler(&v1.GatiHandlerSpec{Path: "/a", Image: "i:v1", Replicas: &replicas, Route: &v1.Route{}, Rollout: &v1.Rollout{
		Strategy: v1.StrategyCanary, Steps: steps, RollbackWindow: "1h",
		Analysis: &v1.Analysis{Interval: "30s", Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99", Baseline: &v1.Baseline{Within: "1"}}}}},
	}}, facts.Facts{})
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	l.Policy = rollout.PolicyFor(h)
	l.Cluster.Source, l.Cluster.Callers, l.Cluster.AcceptLag, l.Cluster.StartUp = NoSource, 0, 0, -15*time.Second
	for range 3 {
		if err := l.Look(); err != nil {
			return nil, err
		}
		l.Cluster.Pass(time.Hour)
	}
	if l.State.Rollout.Phase != v1.RolloutStable {
		return nil, errors.New("v1 does not serve")
	}
	l.Cluster.Load = load
	l.Declare("v2", 1)
	return l, nil
}

// LookFor lets a time go by, with a look every ten seconds.
func (l *Life) LookFor(d time.Duration) error {
	for end := l.Cluster.Now.Add(d); l.Cluster.Now.Before(end); l.Cluster.Pass(10 * time.Second) {
		if err := l.Look(); err != nil {
			return err
		}
	}
	return nil
}
