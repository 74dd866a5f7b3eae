package rollout

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/analysis"
)

const (
	// planningTime is how long a rollout waits for the rate of the stable version.
	planningTime = time.Minute
	// maxPlannedIntervals bounds a planned pause, which is plannedSpare longer than even traffic
	// needs.
	maxPlannedIntervals = 2000
	plannedSpare        = 1.2
)

// firstWeights are those that the first step of a plan may have.
var firstWeights = []int32{50, 25, 10, 5, 2, 1}

// planSteps plans the steps of a rollout before it has traffic, where the spec wants that. The
// plan stays as it is until the rollout ends.
func (m *machine) planSteps(stable, target *unit) verdict {
	p := &m.in.Policy
	if p.Harm == 0 || m.ro.Mode != v1.RolloutSteps {
		return passed
	}
	if m.ro.Planned == nil && target.Weight == 0 {
		perSecond := m.in.Counters[stable.Workload].meanRate()
		if perSecond == 0 && m.timeLeft(m.ro.StartedAt, planningTime) > 0 {
			return waitFor(v1.WaitingForAnalysis, "the steps of %s are planned once the requests of %s were read", titleFor(target), titleFor(stable)).
				untilTime(m.deadlineAfter(m.ro.StartedAt, planningTime))
		}
		m.ro.Planned = p.PlanSteps(perSecond)
	}
	if m.ro.Planned != nil {
		m.addNote("The steps are planned: %s.", m.ro.Planned.Message)
	}
	return passed
}

// meanRate returns the requests a second since the processes started, scaled up for those that
// were not read; 0 where none was.
func (c Counters) meanRate() float64 {
	rate, read := 0.0, 0
	for _, one := range c.Instances {
		if age := c.At.Sub(one.Started); !one.Unread && !one.Started.IsZero() && age >= planningTime {
			rate += float64(one.Requests) / age.Seconds()
			read++
		}
	}
	if read == 0 || !c.Known {
		return 0
	}
	return rate * float64(len(c.Instances)) / float64(read)
}

// PlanSteps plans as many steps as the policy has for a rate of requests. Each lasts until a
// fault would have shown that began with it. Where the rate is not known, or too low for that,
// they are those of the policy.
func (p *Policy) PlanSteps(perSecond float64) *v1.PlannedSteps {
	all := p.AllSteps()
	spec := all[:len(all)-1]
	if perSecond == 0 {
		return newPlan(spec, "the rate of requests is not known, so they are those of the spec")
	}
	weight, harm := p.firstWeight(perSecond)
	at := fmt.Sprintf("at %s requests/s", formatDecimal(perSecond, 3))
	if weight == 0 {
		return newPlan(spec, fmt.Sprintf("%s no fault shows within %s, so they are those of the spec", at, formatDuration(maxPlannedIntervals*p.Analysis.Interval)))
	}
	steps, whole := spec, time.Duration(0)
	if len(steps) == 0 {
		steps = slices.Clone(defaultSteps[:1])
	}
	message := fmt.Sprintf("%s a fault in %s %% of the requests shows in the first within %.0f bad ones, a smaller one may not", at, formatDecimal(100*p.Analysis.largestFault(), 2), math.Ceil(harm))
	if harm > float64(p.Harm) {
		message += fmt.Sprintf("; no weight keeps harm: %d", p.Harm)
	}
	for i := range steps {
		steps[i].Weight = weight + (100-weight)*int32(i)/int32(len(steps))
		if pause, shows := p.Analysis.timeToShow(perSecond, steps[i].Weight); shows {
			steps[i].Pause = pause
		} else {
			message += fmt.Sprintf("; one that begins at %d %% does not show", steps[i].Weight)
		}
		whole += steps[i].Pause
	}
	return newPlan(steps, message+"; "+formatDuration(whole)+" in all")
}

// firstWeight returns the largest first weight at which a fault shows within Harm bad requests,
// else that with the fewest, and how many these are; 0 where none shows at all.
func (p *Policy) firstWeight(perSecond float64) (weight int32, harm float64) {
	for _, at := range firstWeights {
		pause, shows := p.Analysis.timeToShow(perSecond, at)
		n := p.Analysis.largestFault() * perSecond * float64(at) / 100 * pause.Seconds()
		if shows && (weight == 0 || n < harm) {
			weight, harm = at, n
		}
		if weight > 0 && harm <= float64(p.Harm) {
			break
		}
	}
	return weight, harm
}

// timeToShow returns how long a weight takes until every metric has a verdict on a healthy
// version with even requests; false where that is too long.
func (p *AnalysisPolicy) timeToShow(perSecond float64, weight int32) (time.Duration, bool) {
	most := 0
	for _, metric := range p.Metrics {
		n := p.intervalsToShow(metric, perSecond*p.Interval.Seconds(), float64(weight)/100)
		if n > maxPlannedIntervals {
			return maxPlannedIntervals * p.Interval, false
		}
		most = max(most, n)
	}
	return time.Duration(math.Ceil(plannedSpare*float64(most))) * p.Interval, true
}

// intervalsToShow returns after how many intervals with so many requests a metric has a verdict.
func (p *AnalysisPolicy) intervalsToShow(metric Metric, perInterval, share float64) int {
	q, state, n := p.questionFor(metric), analysis.State{}, 0
	if metric.Kind == Query {
		return 0
	}
	for ; n <= maxPlannedIntervals && q.Missing(state) > 0; n++ {
		both := analysis.Pair{Target: evenCounts(perInterval*share, n), Stable: evenCounts(perInterval*(1-share), n)}
		in := analysis.Interval{Target: both.Target}
		if metric.Within != nil {
			in.Compared = &both
		}
		state = q.Observe(state, in)
	}
	return n
}

// evenCounts returns the requests of the n-th interval where they come evenly.
func evenCounts(perInterval float64, n int) analysis.Counts {
	return analysis.Counts{Requests: int64(math.Floor(perInterval*float64(n+1)) - math.Floor(perInterval*float64(n)))}
}

// largestFault returns the largest share of bad requests that has to show.
func (p *AnalysisPolicy) largestFault() float64 {
	out := 0.0
	for _, metric := range p.Metrics {
		if need, ok := p.questionFor(metric).Needed(); ok && metric.Kind != Query {
			out = max(out, need.Fault)
		}
	}
	return out
}

// newPlan returns a plan whose message begins with its steps.
func newPlan(steps []Step, message string) *v1.PlannedSteps {
	out, parts := &v1.PlannedSteps{}, []string{}
	for _, s := range steps {
		part := fmt.Sprintf("%d %%", s.Weight)
		if s.Pause > 0 {
			part += " for " + formatDuration(s.Pause)
		}
		out.Steps, parts = append(out.Steps, v1.PlannedStep{Weight: s.Weight, Seconds: int64(s.Pause.Seconds())}), append(parts, part)
	}
	out.Message = strings.Join(parts, ", ") + "; " + message
	return out
}

// stepsPlanned returns the planned steps of a rollout, without the end; none where it has no plan.
func stepsPlanned(ro *v1.RolloutStatus) (out []Step) {
	if ro == nil || ro.Planned == nil {
		return nil
	}
	for _, s := range ro.Planned.Steps {
		out = append(out, Step{s.Weight, time.Duration(s.Seconds) * time.Second})
	}
	return out
}
