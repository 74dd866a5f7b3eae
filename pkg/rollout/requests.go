package rollout

import (
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
)

// maxRequests is how many handled requests are remembered.
const maxRequests = 64

// maxReason is how much of a reason is remembered.
const maxReason = 200

// act does what a request asks for. It returns what was done, or why it was
// refused; one of the two is empty.
type act func(m *machine, r Request) (done, refused string)

// acts are what a request leads to: verb by verb, whatever the strategy.
var acts = map[request.Verb]act{
	request.Promote:      promote,
	request.Pause:        pause,
	request.Resume:       resume,
	request.Abort:        abort,
	request.Rollback:     rollback,
	request.Restart:      restart,
	request.Decommission: decommission,
	request.Override:     override,
}

// answer handles a request that was not handled yet. A refused one is handled,
// too: to ask again takes a new UUID.
func (m *machine) answer() {
	r := m.in.Request
	if r == nil || slices.ContainsFunc(m.ro.Requests, func(h v1.HandledRequest) bool { return h.ID == r.ID }) {
		return
	}
	text := strings.TrimSuffix(r.String(), "/"+r.ID)
	done, refused := "", fmt.Sprintf("there is no verb %q", r.Verb)
	if act, ok := acts[r.Verb]; ok {
		done, refused = act(m, *r)
	}
	if refused != "" {
		m.warn(r.By, "Refused", text, "", refused)
	} else {
		m.tell(r.By, "Requested", text, "", done+r.because())
	}
	m.remember(v1.HandledRequest{ID: r.ID, Request: text, Outcome: done + refused, Refused: refused != ""})
}

// because is the reason that was given, shortened to what a history has room for.
func (r *Request) because() string {
	if r.Reason == "" {
		return ""
	}
	runes := []rune(strings.Join(strings.Fields(r.Reason), " "))
	return "; the reason given: " + string(runes[:min(maxReason, len(runes))])
}

func (m *machine) remember(h v1.HandledRequest) {
	m.ro.Requests = append(m.ro.Requests, h)
	m.ro.Requests = m.ro.Requests[max(0, len(m.ro.Requests)-maxRequests):]
}

// running tells that a rollout is on its way, or stuck on it.
func (m *machine) running() bool {
	return m.find(m.ro.Target) != nil && (m.ro.Phase == v1.RolloutProgressing || m.ro.Phase == v1.RolloutFailed)
}

func promote(m *machine, r Request) (done, refused string) {
	if m.manual() {
		return "", "the strategy is Manual: set the traffic of the versions instead, as does kubectl gati version set-traffic HANDLER VERSION=SHARE..."
	}
	if !m.running() {
		if d := m.known(m.in.Declared.Version, m.in.Declared.RevisionNumber); d != nil && !m.is(d, m.ro.Stable) {
			if why := m.barred(d); why != "" {
				return "", name(d) + " gets no weighted traffic: " + why
			}
			if why := m.rejected(d); why != "" {
				return "", name(d) + " is not tried again until the spec changes: " + why
			}
		}
		return "", "nothing is being rolled out"
	}
	target := m.find(m.ro.Target)
	if m.ro.Mode != v1.RolloutSteps && m.ro.Phase != v1.RolloutFailed {
		return "", name(target) + " has no steps to skip: traffic moves to it as its pods become ready"
	}
	end := int32(len(m.steps()) - 1)
	from := m.ro.Step
	if from == end && m.ro.Phase == v1.RolloutProgressing {
		return "", name(target) + " is past its last step: it gets all traffic as soon as its pods are ready and the gateway has accepted it"
	}
	if m.ro.Step = min(end, from+1); r.Argument == request.Full {
		m.ro.Step = end
	}
	m.thaw()
	m.fresh()
	m.ro.Phase, m.ro.Failure, m.ro.Analysis = v1.RolloutProgressing, "", nil
	if from == end {
		return name(target) + " is tried again", ""
	}
	return fmt.Sprintf("%s goes from step %d (%d %%) to step %d (%d %%)", name(target), from+1, m.steps()[from].Weight, m.ro.Step+1, m.steps()[m.ro.Step].Weight), ""
}

func pause(m *machine, r Request) (done, refused string) {
	if f := m.ro.Frozen; f != nil {
		return "", "it is paused already, by " + f.By
	}
	m.ro.Frozen = &v1.Deed{By: r.By, At: *m.stamp()}
	return "everything stays as it is until resumed; a failure still goes back", ""
}

func resume(m *machine, _ Request) (done, refused string) {
	f := m.ro.Frozen
	if f == nil {
		return "", "it is not paused"
	}
	m.thaw()
	return "it had been paused by " + f.By, ""
}

// thaw goes on where the rollout was frozen: the pause of a step does not count
// the time in between, nor does the deadline.
func (m *machine) thaw() {
	f := m.ro.Frozen
	if f == nil {
		return
	}
	frozen := m.elapsed(&f.At)
	if s := m.ro.StepStartedAt; s != nil {
		s.Time = s.Add(frozen)
		if now := m.stamp(); s.After(now.Time) {
			s.Time = now.Time
		}
	}
	m.ro.ShortSince, m.ro.Frozen = nil, nil
}

func abort(m *machine, r Request) (done, refused string) {
	target := m.find(m.ro.Target)
	if !m.running() {
		return "", "nothing is being rolled out"
	}
	why := "aborted by " + r.By
	m.reject(m.ro.Target, why)
	if m.ro.Mode != v1.RolloutInPlace && !m.manual() {
		m.back(target, r.By, "RolledBack", why)
	}
	return fmt.Sprintf("%s goes back to %s", name(target), title(m.ro.Stable.Version, m.ro.Stable.RevisionNumber)), ""
}

func rollback(m *machine, r Request) (done, refused string) {
	to, refused := m.rollbackTo(r.Argument)
	if refused != "" {
		return "", refused
	}
	what := title(to.Version, to.RevisionNumber)
	switch {
	case sameRef(to, m.ro.Target):
		return "", what + " is being rolled out"
	case sameRef(to, m.ro.Stable) && !m.running():
		return "", what + " serves already"
	case m.in.Kept != nil && !m.in.Kept[to.Revision]:
		return "", what + " has no template any more: versions.historyLimit"
	case m.in.Records[to.Version].Inactive:
		return "", "the record of " + what + " says active: false"
	}
	if u := m.known(to.Version, to.RevisionNumber); u != nil && m.barred(u) != "" {
		return "", what + " gets no weighted traffic: " + m.barred(u)
	}
	if m.running() && sameRef(to, m.ro.Stable) {
		m.reject(m.ro.Target, "rolled back by "+r.By)
	}
	m.thaw()
	m.ro.Pinned = &v1.PinnedStatus{UnitRef: *to, Deed: v1.Deed{By: r.By, At: *m.stamp()}}
	return "it goes back to " + what + " and stays there until the spec changes", ""
}

// rollbackTo returns what a rollback goes to: the template that the version ran
// last, or without a version what served before.
func (m *machine) rollbackTo(version string) (*v1.UnitRef, string) {
	if version == "" {
		to := m.ro.Previous
		if m.running() {
			to = m.ro.Stable
		}
		if to == nil {
			return nil, "there is no version before"
		}
		return to.DeepCopy(), ""
	}
	var last *unit
	for _, u := range m.units {
		if u.Version == version && (last == nil || live(u) && !live(last) || live(u) == live(last) && u.RevisionNumber > last.RevisionNumber) {
			last = u
		}
	}
	if last == nil {
		return nil, "there never was a version " + version
	}
	return refOf(last), ""
}

func restart(m *machine, _ Request) (done, refused string) {
	n := 0
	for _, u := range m.units {
		if live(u) && !m.beingReplaced(u) {
			u.RestartedAt = m.stamp()
			n++
		}
	}
	if n == 1 {
		return "the pods of 1 workload are replaced", ""
	}
	return fmt.Sprintf("the pods of %d workloads are replaced", n), ""
}

func decommission(m *machine, r Request) (done, refused string) {
	found := false
	for _, u := range m.units {
		if u.Version != r.Argument {
			continue
		}
		found = true
		if why := m.mayDecommission(u); why != "" {
			refused = fmt.Sprintf("%s cannot go: %s", name(u), why)
			continue
		}
		u.DecommissionedBy = r.By
		done = name(u) + " goes once it has drained"
	}
	if !found {
		return "", "there never was a version " + r.Argument
	}
	if done != "" {
		return done, ""
	}
	return "", refused
}
