package rollout

import (
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/request"
)

// maxRequests is how many handled requests are remembered.
const maxRequests = 64

// NoRollout refuses what needs a rollout.
const NoRollout = "no rollout is running"

// maxReason is how much of a reason is remembered.
const maxReason = 200

// act handles a request. It returns the effect, or the refusal; one of the two is empty.
type act func(m *machine, r Request) (done, refused string)

// acts are the handlers of requests by verb, for all strategies.
var acts = map[request.Verb]act{
	request.Promote:      promote,
	request.Pause:        pause,
	request.Resume:       resume,
	request.Abort:        abort,
	request.Retry:        retry,
	request.Rollback:     rollback,
	request.Restart:      restart,
	request.Decommission: decommission,
	request.Contract:     moveContractTo,
	request.Override:     overrideBreak,
}

// handleRequests handles a request that was not handled yet. A refused one is handled,
// too: to ask again takes a new UUID.
func (m *machine) handleRequests() {
	r := m.in.Request
	if r == nil || isHandled(m.ro, r) {
		return
	}
	text := strings.TrimSuffix(r.String(), "/"+r.ID)
	done, refused := "", fmt.Sprintf("no such verb: %q", r.Verb)
	if act, ok := acts[r.Verb]; ok {
		done, refused = act(m, *r)
	}
	if refused != "" {
		m.recordWarning(r.By, "Refused", text, "", refused)
	} else {
		m.recordEvent(r.By, "Requested", text, "", done+r.quoteReason())
	}
	m.rememberRequest(v1.HandledRequest{ID: r.ID, Request: text, Outcome: done + refused, Refused: refused != ""})
}

func isHandled(ro *v1.RolloutStatus, r *Request) bool {
	return slices.ContainsFunc(ro.Requests, func(h v1.HandledRequest) bool { return h.ID == r.ID })
}

// quoteReason returns the given reason, shortened for the history.
func (r *Request) quoteReason() string {
	if r.Reason == "" {
		return ""
	}
	runes := []rune(strings.Join(strings.Fields(r.Reason), " "))
	return "; reason: " + string(runes[:min(maxReason, len(runes))])
}

func (m *machine) rememberRequest(h v1.HandledRequest) {
	m.ro.Requests = append(m.ro.Requests, h)
	m.ro.Requests = m.ro.Requests[max(0, len(m.ro.Requests)-maxRequests):]
}

func promote(m *machine, r Request) (done, refused string) {
	if m.isManual() {
		return "", "the strategy is Manual: set the traffic of the versions instead: " + remedy.SetTraffic.For(m.handler, m.in.Declared.Version, "100")
	}
	if !m.isRollingOut() {
		if d := m.findTemplate(m.in.Declared.Version, m.in.Declared.RevisionNumber); d != nil && !m.isUnit(d, m.ro.Stable) {
			if v := m.candidates.admitVerdict(d.Ref()); !v.isPass() {
				return "", v.waiting.Message
			}
		}
		return "", m.candidates.whyNoRollout()
	}
	target := m.findUnit(m.ro.Target)
	if m.ro.Mode != v1.RolloutSteps && m.ro.Phase != v1.RolloutFailed {
		return "", titleFor(target) + " has no steps to skip: traffic moves to it as its pods become ready"
	}
	end := int32(len(m.rolloutSteps()) - 1)
	from, was := m.ro.Step, m.currentStep().Weight
	if from == end && m.ro.Phase == v1.RolloutProgressing && !m.checks.hasOpenChecks() {
		return "", titleFor(target) + " is past its last step: it gets all traffic once its pods are ready and the gateway has accepted it"
	}
	m.ro.Step = m.stepAfterPromotion(target, r)
	skipped := m.checks.skipChecks("promoted by " + r.By)
	m.continueRollout(target)
	switch {
	case m.ro.Step == from && skipped > 0:
		return titleFor(target) + " goes on without its checks", ""
	case from == end:
		return titleFor(target) + " is retried", ""
	}
	return fmt.Sprintf("%s moves from step %d (%s) to step %d (%s)", titleFor(target),
		from+1, m.traffic.describeShare(target, was), m.ro.Step+1, m.traffic.describeShare(target, m.currentStep().Weight)), ""
}

// stepAfterPromotion returns the next step, or the last. A target that checks keep from its
// first weight gets that one.
func (m *machine) stepAfterPromotion(target *unit, r Request) int32 {
	end := int32(len(m.rolloutSteps()) - 1)
	switch {
	case r.Argument == request.Full:
		return end
	case m.checks.hasChecksBeforeTraffic(target):
		return m.ro.Step
	default:
		return min(end, m.ro.Step+1)
	}
}

// continueRollout lets a rollout that was paused or has failed go on at its step. What
// failed it does not count.
func (m *machine) continueRollout(target *unit) {
	m.unfreezeRollout()
	m.beginStep()
	failed := m.ro.Phase == v1.RolloutFailed
	if failed {
		m.ro.DownSince = nil
		m.pods.startRestarts(target)
		m.checks.repeatChecks()
	}
	m.setPhase(v1.RolloutProgressing)
	m.ro.Failure = ""
	m.judging.resetAnalysis(!failed)
}

func pause(m *machine, r Request) (done, refused string) {
	if f := m.ro.Frozen; f != nil {
		return "", "already paused by " + f.By
	}
	m.ro.Frozen = &v1.Deed{By: r.By, At: *m.stampNow()}
	return "paused until resumed; a failure still rolls back", ""
}

func resume(m *machine, _ Request) (done, refused string) {
	f := m.ro.Frozen
	if f == nil {
		return "", "not paused"
	}
	m.unfreezeRollout()
	return "resumed; it was paused by " + f.By, ""
}

// unfreezeRollout continues a frozen rollout: neither the pause of a step nor the deadline
// counts the frozen time.
func (m *machine) unfreezeRollout() {
	f := m.ro.Frozen
	if f == nil {
		return
	}
	frozen := m.elapsedSince(&f.At)
	if s := m.ro.StepStartedAt; s != nil {
		*s = *stamp(s.Add(frozen))
		if now := m.stampNow(); s.After(now.Time) {
			*s = *now
		}
	}
	m.ro.ShortSince, m.ro.ObstructedSince, m.ro.Frozen = nil, nil, nil
}

func abort(m *machine, r Request) (done, refused string) {
	target := m.findUnit(m.ro.Target)
	if !m.isRollingOut() {
		return "", m.candidates.whyNoRollout()
	}
	m.rejectTarget(r.By, "aborted by "+r.By)
	return fmt.Sprintf("%s is rolled back to %s", titleFor(target), m.ro.Stable.Title()), ""
}

func restart(m *machine, _ Request) (done, refused string) {
	n := 0
	for _, u := range m.units {
		if isLive(u) && !m.isBeingReplaced(u) {
			u.RestartedAt = m.stampNow()
			n++
		}
	}
	if n == 1 {
		return "replaces the pods of 1 workload", ""
	}
	return fmt.Sprintf("replaces the pods of %d workloads", n), ""
}

func decommission(m *machine, r Request) (done, refused string) {
	found := false
	for _, u := range m.units {
		if u.Version != r.Argument {
			continue
		}
		found = true
		if why := m.retention.refuseDecommission(u); why != "" {
			refused = fmt.Sprintf("%s cannot be removed: %s", titleFor(u), why)
			continue
		}
		u.DecommissionedBy = r.By
		done = titleFor(u) + " is removed once it has drained" + m.retention.describeCallers(u)
	}
	if !found {
		return "", "no such version: " + r.Argument
	}
	if done != "" {
		return done, ""
	}
	return "", refused
}
