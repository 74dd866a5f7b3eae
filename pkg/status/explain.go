package status

import (
	"cmp"
	"fmt"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/remedy"
)

// KindExplanation is the kind of an Explanation in its JSON form.
const KindExplanation = "Explanation"

// Explanation is the chain from the spec of a handler or module to its callers, link
// by link. The first link that does not hold is the cause.
type Explanation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Of is the kind of the explained object.
	Of        string `json:"of"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Health    Health `json:"health"`
	// Cause is the first link that does not hold; absent when all do.
	Cause *Link `json:"cause,omitempty"`
	// See is the entry of the documents about the cause.
	See string `json:"see,omitempty"`
	// Analysis are sentences about the evidence on the version that is rolled out, or was
	// rolled back.
	Analysis []string `json:"analysis,omitempty"`
	Links    []Link   `json:"links"`
}

// Link is one condition of serving.
type Link struct {
	Name  string    `json:"name"`
	State LinkState `json:"state"`
	// Evidence shows the state. Next is the remedy, or the next automatic step.
	Evidence string `json:"evidence"`
	Next     string `json:"next,omitempty"`
}

// LinkState is the state of a link.
type LinkState string

// The states of a link.
const (
	Holds LinkState = "Holds"
	// Waits: it follows automatically, or a request is needed.
	Waits LinkState = "Waits"
	Fails LinkState = "Fails"
	// Unknown: its evidence could not be read.
	Unknown LinkState = "Unknown"
)

// ExplainHandler explains a handler of the snapshot.
func (s *Snapshot) ExplainHandler(h *Handler) Explanation {
	return s.buildExplanation(&h.Item, h.Rollout, []Link{
		s.observedLink(&h.Item), acceptedLink(&h.Item), s.childrenLink(&h.Item, h.Rollout), s.podsLink(&h.Item, h.unusedWorkloads()), rolloutLink(h), trafficLink(h),
	})
}

// ExplainModule explains a module of the snapshot.
func (s *Snapshot) ExplainModule(m *Module) Explanation {
	return s.buildExplanation(&m.Item, nil, []Link{s.observedLink(&m.Item), acceptedLink(&m.Item), s.childrenLink(&m.Item, nil), s.podsLink(&m.Item, nil)})
}

func (s *Snapshot) buildExplanation(item *Item, r *Rollout, links []Link) Explanation {
	out := Explanation{
		APIVersion: APIVersion, Kind: KindExplanation, Of: item.Kind,
		Namespace: item.Namespace, Name: item.Name, Health: item.Health, Links: links,
		Analysis: explainAnalysis(r, s.Time.Time),
	}
	for i := range links {
		if links[i].State == Fails || links[i].State == Waits {
			out.Cause, out.See = &links[i], findEntry(links[i].Name, item, r)
			break
		}
	}
	return out
}

// observedLink holds when the controller has observed the latest spec.
func (s *Snapshot) observedLink(item *Item) Link {
	l := Link{Name: "seen", State: Holds, Evidence: "the controller has observed the latest spec"}
	if item.Health == Deleting {
		return Link{l.Name, Fails, item.Reason, item.Next}
	}
	if !item.Observed {
		return Link{l.Name, Waits, item.Reason, item.Next}
	}
	return l
}

// acceptedLink holds when the spec is valid and accepted.
func acceptedLink(item *Item) Link {
	if c := item.findRefusal(); c != nil {
		return Link{"accepted", Fails, c.messageOrReason(), "change the spec and apply it again"}
	}
	return Link{Name: "accepted", State: Holds, Evidence: "the spec is valid"}
}

// childrenLink holds when every child of the plan exists as planned.
func (s *Snapshot) childrenLink(item *Item, r *Rollout) Link {
	var wrong []string
	for _, c := range item.Children {
		wrong = append(wrong, fmt.Sprintf("%s %s: %s", c.Kind, c.Name, printable.OneLine(c.Message)))
	}
	stalled := item.findCondition(v1.ConditionStalled)
	halted := r != nil && r.Phase == v1.RolloutFailed
	switch {
	case item.isTrue(v1.ConditionStalled) && !halted && serving[v1.ConditionReason(stalled.Reason)] == "":
		return Link{"children", Fails, cmp.Or(strings.Join(wrong, "; "), stalled.messageOrReason()), "the controller waits for a change: " + stalled.messageOrReason()}
	case len(wrong) > 0:
		return Link{"children", Fails, strings.Join(wrong, "; "), "resolve the conflict; the controller retries automatically"}
	case !s.wasRead(ResourceDeployments):
		return Link{"children", Unknown, "the Deployments could not be read", "request the right to list deployments"}
	default:
		return Link{Name: "children", State: Holds, Evidence: fmt.Sprintf("%s, no conflicts", printable.Count(len(item.Workloads), "workload"))}
	}
}

// podsLink holds when enough pods are ready.
func (s *Snapshot) podsLink(item *Item, unused map[string]bool) Link {
	e := evidence{item: item, unused: unused}
	has, wants := e.countPods()
	p := e.worstProblem()
	if p == nil && has < wants && len(item.Problems) > 0 {
		p = &item.Problems[0]
	}
	switch {
	case p != nil && p.Blocking:
		return Link{"pods", Fails, e.describeReadiness() + "; " + describeProblem(p), p.Next}
	case p != nil:
		return Link{"pods", Waits, e.describeReadiness() + "; " + describeProblem(p), p.Next}
	case has < wants && !s.wasRead(ResourcePods):
		return Link{"pods", Unknown, e.describeReadiness() + "; the pods could not be read", "request the right to list pods"}
	case has < wants:
		return Link{"pods", Waits, e.describeReadiness(), fmt.Sprintf("waiting for %s to become ready", printable.Count(wants-has, "more pod"))}
	default:
		return Link{Name: "pods", State: Holds, Evidence: e.describeReadiness()}
	}
}

// describeProblem returns a problem with the first pod that has it.
func describeProblem(p *Problem) string {
	if len(p.Pods) == 0 {
		return p.Summary()
	}
	return p.Pods[0] + ": " + p.Summary()
}

// rolloutLink holds when the declared version serves.
func rolloutLink(h *Handler) Link {
	r := h.Rollout
	switch {
	case r == nil:
		return Link{Name: "rollout", State: Holds, Evidence: "no rollout is running"}
	case r.Phase == v1.RolloutFailed || r.Back:
		return Link{"rollout", Fails, r.Reason, r.Next}
	case r.Reason != "":
		return Link{"rollout", Waits, r.Reason, r.Next}
	default:
		return Link{Name: "rollout", State: Holds, Evidence: cmp.Or(r.Stable, h.Version) + " is the stable version"}
	}
}

// describeSplit returns the shares that the pods of several versions come to.
func describeSplit(h *Handler) string {
	var shares []string
	for i := range h.Versions {
		v := &h.Versions[i]
		if real, known := h.ShareByPods(v); known && (real > 0 || v.Weight > 0) {
			shares = append(shares, fmt.Sprintf("%s %s", v.Version, formatPercent(real)))
		}
	}
	if len(shares) < 2 {
		return ""
	}
	return "; by pods " + strings.Join(shares, ", ")
}

// trafficLink holds when every version with traffic has a ready pod, and the gateway has
// accepted its weight.
func trafficLink(h *Handler) Link {
	for i := range h.Versions {
		if v := &h.Versions[i]; v.IsDown() {
			return Link{"traffic", Waits, fmt.Sprintf("%s has %s and 0 of %d ready pods", v.Version, formatPercent(v.Weight), v.Desired), "waiting for a pod to become ready"}
		}
	}
	if h.Rollout == nil || !h.Rollout.Gateway {
		return Link{Name: "traffic", State: Holds, Evidence: "in the cluster, through the Service handler-" + h.Name + describeSplit(h)}
	}
	var shares, lagging []string
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Weight == 0 && (v.AcceptedWeight == nil || *v.AcceptedWeight == 0) {
			continue
		}
		shares = append(shares, fmt.Sprintf("%s %s", v.Version, formatPercent(v.Weight)))
		switch {
		case v.AcceptedWeight == nil:
			lagging = append(lagging, fmt.Sprintf("%s: %s wanted, not accepted by any gateway yet", v.Version, formatPercent(v.Weight)))
		case *v.AcceptedWeight != v.Weight:
			lagging = append(lagging, fmt.Sprintf("%s: %s wanted, %s accepted", v.Version, formatPercent(v.Weight), formatPercent(*v.AcceptedWeight)))
		}
	}
	if len(lagging) > 0 {
		return Link{"traffic", Waits, strings.Join(lagging, "; "), "see the status of the route: " + remedy.ShowRoute.For(h.Name, h.Namespace)}
	}
	return Link{Name: "traffic", State: Holds, Evidence: "the gateway has accepted " + strings.Join(shares, ", ")}
}

// wasRead reports whether a list could be read.
func (s *Snapshot) wasRead(resource string) bool {
	for _, u := range s.Unread {
		if u.Resource == resource {
			return false
		}
	}
	return true
}
