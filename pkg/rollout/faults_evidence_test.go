package rollout_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// knowing spoils what the machine remembers of each version's traffic.
func knowing(spoil func(*v1.EvidenceStatus)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		versions := make([]v1.VersionStatus, 0, len(in.State.Versions))
		for _, v := range in.State.Versions {
			v := *v.DeepCopy()
			if v.Evidence != nil {
				spoil(v.Evidence)
			}
			versions = append(versions, v)
		}
		in.State.Versions = versions
	})
}

// hearing spoils what is measured of each workload's traffic.
func hearing(spoil func(*rollout.Input, *rollout.Traffic)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		for name, w := range in.Workloads {
			if w.Traffic.Source != "" {
				spoil(in, &w.Traffic)
				in.Workloads[name] = w
			}
		}
	})
}

// judging spoils what a new version is held to.
func judging(spoil func(*rollout.AnalysisPolicy)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		if in.Policy.Analysis != nil {
			p := *in.Policy.Analysis
			spoil(&p)
			in.Policy.Analysis = &p
		}
	})
}

// counting spoils what the machine remembers of each metric.
func counting(spoil func(in *rollout.Input, s *v1.MetricStatus)) rollouttest.Machine {
	return before(func(in *rollout.Input) {
		if in.State.Rollout == nil {
			return
		}
		for i := range in.State.Rollout.Analysis {
			spoil(in, &in.State.Rollout.Analysis[i])
		}
	})
}

func faultsOfEvidence() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"counts an error of the source as zero": hearing(func(in *rollout.Input, t *rollout.Traffic) {
			if !t.Known && !t.At.IsZero() {
				t.Known, t.From, t.At = true, in.Now.Add(-time.Hour), in.Now
			}
		}),
		"counts no news as zero": hearing(func(in *rollout.Input, t *rollout.Traffic) {
			if t.At.IsZero() {
				t.Known, t.From, t.At = true, in.Now.Add(-time.Hour), in.Now
			}
		}),
		"drains callers away": hearing(func(_ *rollout.Input, t *rollout.Traffic) { t.Requests = 0 }),
		"takes an old reading for a new one": hearing(func(in *rollout.Input, t *rollout.Traffic) {
			if t.Known {
				t.At = in.Now
			}
		}),
		"bridges gaps between measurements": hearing(func(in *rollout.Input, t *rollout.Traffic) {
			if t.Known {
				t.From = in.Now.Add(-24 * time.Hour)
			}
		}),
		"does not see a request that is under way": hearing(func(_ *rollout.Input, t *rollout.Traffic) { t.InFlight = 0 }),
		"lets a deadline decide where the source is silent": hearing(func(_ *rollout.Input, t *rollout.Traffic) {
			if !t.Known {
				t.Source = ""
			}
		}),
		"takes one path for all of them": hearing(func(_ *rollout.Input, t *rollout.Traffic) { t.Partial = false }),
		"forgets since when it was zero": knowing(func(e *v1.EvidenceStatus) { e.ZeroSince, e.MeasuredAt = nil, nil }),
		"remembers zero from before it was": knowing(func(e *v1.EvidenceStatus) {
			if e.ZeroSince != nil {
				e.ZeroSince = &metav1.Time{Time: e.ZeroSince.Add(-10 * time.Minute)}
			}
		}),
		"takes what was measured long ago for now": before(func(in *rollout.Input) {
			var versions []v1.VersionStatus
			for _, v := range in.State.Versions {
				v := *v.DeepCopy()
				if v.Evidence != nil && v.Evidence.MeasuredAt != nil {
					v.Evidence.MeasuredAt = &metav1.Time{Time: in.Now.Truncate(time.Second)}
				}
				versions = append(versions, v)
			}
			in.State.Versions = versions
		}),
		"needs no window": before(func(in *rollout.Input) { in.Policy.DrainWindow = 0 }),
		"counts the time before the drain": before(func(in *rollout.Input) {
			var versions []v1.VersionStatus
			for _, v := range in.State.Versions {
				if v.DrainingSince != nil {
					v.DrainingSince = &metav1.Time{Time: in.Now.Add(-2 * time.Hour)}
				}
				versions = append(versions, v)
			}
			in.State.Versions = versions
		}),
		"drains before the gateway has accepted": before(func(in *rollout.Input) {
			var versions []v1.VersionStatus
			for _, v := range in.State.Versions {
				if v.Weight == 0 {
					v.ExposedWeight = 0
				}
				versions = append(versions, v)
			}
			in.State.Versions = versions
		}),
		"takes every version for cold": before(func(in *rollout.Input) { in.Policy.ColdAfter = 0 }),
		"takes warm pods away":         before(func(in *rollout.Input) { in.Policy.Warm = 0 }),
		"takes spare pods away":        before(func(in *rollout.Input) { in.Policy.Pool = 0 }),
	}
}

func faultsOfAnalysis() map[string]rollouttest.Machine {
	return map[string]rollouttest.Machine{
		"judges by too few samples":         judging(func(p *rollout.AnalysisPolicy) { p.MinSamples = 1 }),
		"gives up at the first failure":     judging(func(p *rollout.AnalysisPolicy) { p.FailureLimit = 1 }),
		"never gives up":                    judging(func(p *rollout.AnalysisPolicy) { p.FailureLimit = 1000 }),
		"takes no data for success":         judging(func(p *rollout.AnalysisPolicy) { p.NoData = v1.NoDataPass }),
		"takes no data for failure":         judging(func(p *rollout.AnalysisPolicy) { p.NoData = v1.NoDataFail }),
		"counts one measurement many times": counting(func(_ *rollout.Input, s *v1.MetricStatus) { s.MeasuredAt = nil }),
		"forgets failures":                  counting(func(_ *rollout.Input, s *v1.MetricStatus) { s.Failures = 0 }),
		"takes the proof of a step before": counting(func(in *rollout.Input, s *v1.MetricStatus) {
			if s.Verdict == v1.AnalysisPass {
				s.MeasuredAt = &metav1.Time{Time: in.Now}
			}
		}),
		"forgets the verdicts": remembering(func(r *v1.RolloutStatus) { r.Analysis = nil }),
		"waits for data for ever where there need be none": before(func(in *rollout.Input) {
			in.Measurements = nil
			if in.Policy.Analysis != nil {
				p := *in.Policy.Analysis
				p.NoData = v1.NoDataWait
				in.Policy.Analysis = &p
			}
		}),
	}
}
