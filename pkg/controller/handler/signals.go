package handler

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/validation"
)

// metricsRoute is where a Gati application shows its metrics.
const metricsRoute = "/metrics"

func (s *story) signalKey(workload string) signals.Key {
	return signals.Key{Namespace: s.Handler.Namespace, Handler: s.Handler.Name, Workload: workload}
}

// takeReadings takes the last reading of each workload, none before the first.
func (s *story) takeReadings(hub *signals.Hub) {
	if !hub.Configured() {
		return
	}
	s.TrafficSource, s.IsUnproven = hub.Names(), hub.IsUnproven()
	s.Reports = map[string][]rollout.PodReport{}
	for name, w := range s.Workloads {
		if r, ok := hub.Read(s.signalKey(name)); ok {
			s.Reports[name] = currentReports(r.Reports, w.Pods)
		}
	}
	if s.TrafficSource == "" {
		return
	}
	s.readings, s.Traffic, s.Counters = map[string]signals.Reading{}, map[string]rollout.Traffic{}, map[string]rollout.Counters{}
	names := map[string]bool{}
	for name := range s.Workloads {
		names[name] = true
	}
	for _, v := range s.Handler.Status.Versions {
		names[v.Workload] = true
	}
	for name := range names {
		if r, ok := hub.Read(s.signalKey(name)); ok {
			s.readings[name], s.Traffic[name] = r, r.Traffic
			if !r.Counters.At.IsZero() {
				s.Counters[name] = r.Counters
			}
		}
	}
	s.Measurements = s.targetMeasurements(rollout.PolicyFor(s.Resolved))
}

// currentReports returns the reports of instances that still run: a container that has
// restarted is asked anew.
func currentReports(reports []signals.PodReport, pods []corev1.Pod) []rollout.PodReport {
	var out []rollout.PodReport
	for i := range pods {
		instance := podOf(&pods[i]).Instance
		if at := slices.IndexFunc(reports, func(r signals.PodReport) bool { return r.Instance == instance }); at >= 0 {
			out = append(out, reports[at].PodReport)
		}
	}
	return out
}

// targetMeasurements returns the measurements of the rollout's target.
func (s *story) targetMeasurements(p rollout.Policy) []rollout.Measurement {
	ro := s.Handler.Status.Rollout
	if p.Analysis == nil || ro == nil || ro.Target == nil {
		return nil
	}
	target, measured := s.readings[ro.Target.Workload]
	if !measured {
		return nil
	}
	out := signals.Measurements(p.Analysis, ro.Target.Workload, target)
	for i := range out {
		if !s.canQuery {
			out[i].Known, out[i].Message = false, validation.QueriesNotAllowed
		}
	}
	return out
}

// neededReadings returns the workloads whose traffic or transformers the decision depends
// on.
func (s *story) neededReadings(p rollout.Policy) []signals.Subject {
	var out []signals.Subject
	for _, w := range s.Decision.Workloads {
		every := cmp.Or(w.MeasureEvery, w.ReportEvery)
		if every == 0 {
			if probe := s.newProbe(w); probe != nil {
				out = append(out, *probe)
			}
			continue
		}
		subject := s.signalSubject(w, every)
		if w.ReportEvery > 0 {
			subject.Reported, subject.Every = true, min(every, w.ReportEvery)
		}
		if w.Judged && p.Analysis != nil {
			subject.Judged = true
			if w.MeasureFrom != nil {
				subject.From = w.MeasureFrom.Time
			}
			target := s.Decision.Rollout.Target
			for _, m := range p.Analysis.Metrics {
				if m.Kind == rollout.Query && s.canQuery && target != nil && target.Workload == w.Workload {
					subject.Window = p.Analysis.Window
					subject.Queries = append(subject.Queries, signals.Query{Name: m.Name, PromQL: signals.FillPlaceholders(m.PromQL, subject, subject.Window)})
				}
			}
		}
		out = append(out, subject)
	}
	return out
}

// probeEvery is the first interval between two probes for metrics; each failed one doubles
// it.
const probeEvery = time.Minute

// newProbe returns the question whether the pods of a workload have metrics; nil where no decision
// depends on it, or no pod is ready to answer.
func (s *story) newProbe(w rollout.WorkloadPlan) *signals.Subject {
	if !w.SeekSource {
		return nil
	}
	out := s.signalSubject(w, probeEvery)
	if out.Pods = out.ProbedPods(); len(out.Pods) == 0 {
		return nil
	}
	return &out
}

// signalSubject returns what measuring a workload at an interval needs.
func (s *story) signalSubject(w rollout.WorkloadPlan, every time.Duration) signals.Subject {
	h := s.Handler
	out := signals.Subject{
		Key: s.signalKey(w.Workload), Every: every, Version: w.Unit.Version,
		Deployment: naming.DeploymentName(h.Name, w.Workload), Service: naming.WorkloadService(h.Name, w.Workload),
		ServicePort: *s.Resolved.Spec.Port, OwnRoutes: s.ownRoutes(),
		OnlyPath: h.Spec.Route != nil && h.Spec.Route.OnlyPath != nil && *h.Spec.Route.OnlyPath,
	}
	if len(s.Ports) > 0 {
		out.ServicePort = s.Ports[0]
	}
	if w.Workload == s.Decision.Front {
		out.Service = naming.HandlerChild(h.Name)
	}
	for _, v := range s.Decision.Versions {
		if e := v.Evidence; v.Workload == w.Workload && e != nil && e.MeasuredAt != nil {
			out.Since, out.Counted, out.CountedBy = e.MeasuredAt.Time, e.Counted, e.CountedBy
		}
		if v.Workload == w.Workload {
			out.Proven = v.IsMeasured()
		}
	}
	if seen := s.Workloads[w.Workload]; seen != nil {
		for i := range seen.Pods {
			out.Pods = append(out.Pods, podOf(&seen.Pods[i]))
		}
	}
	return out
}

// ownRoutes returns those that only probes and readers of metrics request. One that the
// handler serves itself is its callers'.
func (s *story) ownRoutes() []string {
	var out []string
	for _, route := range []string{metricsRoute, s.Resolved.Spec.HealthCheck.Path} {
		if route != "" && route != s.Resolved.Spec.Path {
			out = append(out, route)
		}
	}
	return out
}

// podOf returns what measuring a pod needs. One that has ended has no start.
func podOf(p *corev1.Pod) signals.Pod {
	out := signals.Pod{Name: p.Name, IP: p.Status.PodIP, Instance: string(p.UID), Port: expand.PodPort(&p.Spec), Ready: expand.IsReady(p)}
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return out
	}
	for _, c := range p.Status.ContainerStatuses {
		out.Instance += "/" + strconv.Itoa(int(c.RestartCount))
		if c.State.Running != nil && (out.Started.IsZero() || c.State.Running.StartedAt.After(out.Started)) {
			out.Started = c.State.Running.StartedAt.Time
		}
	}
	return out
}

// isMeasured reports whether a decision depends on measured traffic.
func (s *story) isMeasured() bool {
	return s.TrafficSource != "" && slices.ContainsFunc(s.Decision.Workloads, func(w rollout.WorkloadPlan) bool {
		return w.MeasureEvery > 0 && (!s.IsUnproven || s.isProven(w.Workload))
	})
}

// isProven reports whether something has measured the traffic of a workload.
func (s *story) isProven(workload string) bool {
	return slices.ContainsFunc(s.Decision.Versions, func(v v1.VersionStatus) bool {
		return v.Workload == workload && v.IsMeasured()
	})
}

// requestReadings asks the hub to measure what the decision depends on.
func (r *Reconciler) requestReadings(s *story) {
	r.Signals.Want(signals.Owner{Namespace: s.Handler.Namespace, Name: s.Handler.Name}, s.neededReadings(rollout.PolicyFor(s.Resolved)))
}

// Measured enqueues a handler when new measurements of its workloads arrive.
func Measured(into chan<- event.GenericEvent) func(context.Context, signals.Owner) {
	return func(ctx context.Context, of signals.Owner) {
		select {
		case into <- event.GenericEvent{Object: &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}}}:
		case <-ctx.Done():
		}
	}
}
