package statustest

import (
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// Watched is a handler whose new version was promoted four minutes ago, and is judged until
// the rollback window is over.
func Watched() status.Objects {
	h := rolling(100)
	ro := h.Status.Rollout
	ro.Phase, ro.Mode, ro.Target = v1.RolloutStable, "", nil
	ro.Stable, ro.Previous = ref("v2.0.0", "v2-0-0"), ref("v1.0.0", v1.WorkloadMain)
	since := Ago(4 * time.Minute)
	v1status := &h.Status.Versions[0]
	v1status.Phase, v1status.DrainingSince, v1status.SupersededAt = v1.VersionDraining, &since, &since
	h.Spec.Rollout.Analysis = &v1.Analysis{}
	at := Ago(10 * time.Second)
	ro.Analysis = []v1.MetricStatus{{
		Name: "success rate", Verdict: v1.AnalysisPass, Value: "99.8 %", Threshold: "at least 99 %", Samples: 1240, MeasuredAt: &at,
		Counted: &v1.CountedStatus{
			Target: v1.RequestCounts{Requests: 1240, Bad: 3}, Stable: &v1.RequestCounts{Requests: 900, Bad: 2},
			Odds: "0.05", RejectAt: "100", WouldShow: "2.9 %",
		},
	}}
	objs := world(h, 4, 4)
	Stay(&objs, v1.StaysRollbackWindow, 6*time.Minute, "a rollback to it is immediate during rollbackWindow (10m)")
	return objs
}

// Checked is a rollout whose new version has no traffic before its check has passed.
func Checked() status.Objects {
	h := stepped(0, 0, 2*time.Minute)
	const job = "handler-users-check-smoke-5d4f"
	ro := h.Status.Rollout
	ro.StepStartedAt = nil
	ro.Checks = []v1.CheckStatus{{Name: "smoke", Verdict: v1.CheckRunning, Job: job, StartedAt: Ago(30 * time.Second)}}
	h.Spec.Rollout.Checks = []v1.RolloutCheck{{Name: "smoke", When: v1.CheckBeforeTraffic, Timeout: "2m"}}
	h.Waiting(v1.WaitingForCheck, 90*time.Second, "v2.0.0 has 0 %; its check smoke runs in Job "+job)
	return world(h, 1, 1)
}
