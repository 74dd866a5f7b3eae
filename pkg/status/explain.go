package status

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// KindExplanation is the kind of an Explanation in its JSON form.
const KindExplanation = "Explanation"

// Explanation says why a handler or module serves or not: the links of the chain
// from its spec to its callers, in order. The first that does not hold is the cause.
type Explanation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Of is the kind of what is explained.
	Of        string `json:"of"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Health    Health `json:"health"`
	// Cause is the first link that does not hold; absent when all do.
	Cause *Link  `json:"cause,omitempty"`
	Links []Link `json:"links"`
}

// Link is one condition of serving.
type Link struct {
	Name  string    `json:"name"`
	State LinkState `json:"state"`
	// Evidence is what shows the state, Next what to do, or what comes by itself.
	Evidence string `json:"evidence"`
	Next     string `json:"next,omitempty"`
}

// LinkState tells whether a link holds.
type LinkState string

// The states of a link.
const (
	Holds LinkState = "Holds"
	// Waits: it comes by itself, or somebody has to ask.
	Waits LinkState = "Waits"
	Fails LinkState = "Fails"
	// Unknown: what it rests on could not be read.
	Unknown LinkState = "Unknown"
)

// ExplainHandler explains a handler of the snapshot.
func (s *Snapshot) ExplainHandler(h *Handler) Explanation {
	return s.explanation(&h.Item, []Link{
		s.seen(&h.Item), accepted(&h.Item), s.children(&h.Item, h.Rollout), s.serving(&h.Item, h.aside()), rolledOut(h), routed(h),
	})
}

// ExplainModule explains a module of the snapshot.
func (s *Snapshot) ExplainModule(m *Module) Explanation {
	return s.explanation(&m.Item, []Link{s.seen(&m.Item), accepted(&m.Item), s.children(&m.Item, nil), s.serving(&m.Item, nil)})
}

func (s *Snapshot) explanation(item *Item, links []Link) Explanation {
	out := Explanation{
		APIVersion: APIVersion, Kind: KindExplanation, Of: item.Kind,
		Namespace: item.Namespace, Name: item.Name, Health: item.Health, Links: links,
	}
	for i := range links {
		if links[i].State == Fails || links[i].State == Waits {
			out.Cause = &links[i]
			break
		}
	}
	return out
}

// seen holds when the controller has looked at the latest spec.
func (s *Snapshot) seen(item *Item) Link {
	l := Link{Name: "seen", State: Holds, Evidence: "the controller has seen the latest spec"}
	if item.Health == Deleting {
		return Link{l.Name, Fails, item.Reason, item.Next}
	}
	if !item.Observed {
		return Link{l.Name, Waits, item.Reason, item.Next}
	}
	return l
}

// accepted holds when nothing is wrong with the spec.
func accepted(item *Item) Link {
	for _, kind := range []string{v1.ConditionValid, v1.ConditionAccepted} {
		if c := item.condition(kind); c != nil && c.Status == metav1.ConditionFalse {
			return Link{"accepted", Fails, c.sentence(), "change the spec and apply it again"}
		}
	}
	return Link{Name: "accepted", State: Holds, Evidence: "nothing is wrong with the spec"}
}

// children holds when everything that the spec stands for exists as it should.
func (s *Snapshot) children(item *Item, r *Rollout) Link {
	var wrong []string
	for _, c := range item.Children {
		wrong = append(wrong, fmt.Sprintf("%s %s: %s", c.Kind, c.Name, oneLine(c.Message)))
	}
	stalled := item.condition(v1.ConditionStalled)
	halted := r != nil && r.Phase == v1.RolloutFailed
	switch {
	case stalled != nil && stalled.Status == metav1.ConditionTrue && !halted:
		return Link{"children", Fails, cmp.Or(strings.Join(wrong, "; "), stalled.sentence()), "the controller waits until this is changed: " + stalled.sentence()}
	case len(wrong) > 0:
		return Link{"children", Fails, strings.Join(wrong, "; "), "see what is in the way; the controller tries again by itself"}
	case !s.was(ResourceDeployments):
		return Link{"children", Unknown, "the Deployments could not be read", "ask for the right to list deployments"}
	default:
		return Link{Name: "children", State: Holds, Evidence: fmt.Sprintf("%s, and nothing is in their way", count(int32(len(item.Workloads)), "workload"))}
	}
}

// serving holds when enough pods are ready.
func (s *Snapshot) serving(item *Item, aside map[string]bool) Link {
	e := evidence{item: item, aside: aside}
	has, wants := e.pods()
	p := e.worst()
	if p == nil && has < wants && len(item.Problems) > 0 {
		p = &item.Problems[0]
	}
	switch {
	case p != nil && p.Blocking:
		return Link{"pods", Fails, e.readiness() + "; " + shown(p), p.Next}
	case p != nil:
		return Link{"pods", Waits, e.readiness() + "; " + shown(p), p.Next}
	case has < wants && !s.was(ResourcePods):
		return Link{"pods", Unknown, e.readiness() + "; the pods could not be read", "ask for the right to list pods"}
	case has < wants:
		return Link{"pods", Waits, e.readiness(), fmt.Sprintf("waits for %s to become ready", count(wants-has, "more pod"))}
	default:
		return Link{Name: "pods", State: Holds, Evidence: e.readiness()}
	}
}

// shown is a problem with the first pod that has it.
func shown(p *Problem) string {
	if len(p.Pods) == 0 {
		return p.Summary()
	}
	return p.Pods[0] + ": " + p.Summary()
}

// rolledOut holds when the declared version serves.
func rolledOut(h *Handler) Link {
	r := h.Rollout
	switch {
	case r == nil:
		return Link{Name: "rollout", State: Holds, Evidence: "no rollout is under way"}
	case r.Phase == v1.RolloutFailed || r.Back:
		return Link{"rollout", Fails, r.Reason, r.Next}
	case r.Reason != "":
		return Link{"rollout", Waits, r.Reason, r.Next}
	default:
		return Link{Name: "rollout", State: Holds, Evidence: cmp.Or(r.Stable, h.Version) + " serves"}
	}
}

// routed holds when the gateway has taken over what each version should have.
func routed(h *Handler) Link {
	if h.Rollout == nil || !h.Rollout.Gateway {
		return Link{Name: "traffic", State: Holds, Evidence: "in the cluster, through the Service handler-" + h.Name}
	}
	var shares, lagging []string
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Weight == 0 && (v.AcceptedWeight == nil || *v.AcceptedWeight == 0) {
			continue
		}
		shares = append(shares, fmt.Sprintf("%s %s", v.Version, percent(v.Weight)))
		switch {
		case v.AcceptedWeight == nil:
			lagging = append(lagging, fmt.Sprintf("%s should have %s, and no gateway has said that it has", v.Version, percent(v.Weight)))
		case *v.AcceptedWeight != v.Weight:
			lagging = append(lagging, fmt.Sprintf("%s should have %s, and has %s", v.Version, percent(v.Weight), percent(*v.AcceptedWeight)))
		}
	}
	if len(lagging) > 0 {
		return Link{"traffic", Waits, strings.Join(lagging, "; "), "see what the gateway says of it: kubectl -n " + h.Namespace + " describe httproute handler-" + h.Name}
	}
	return Link{Name: "traffic", State: Holds, Evidence: "the gateway has accepted " + strings.Join(shares, ", ")}
}

// was tells that a list could be read.
func (s *Snapshot) was(resource string) bool {
	for _, u := range s.Unread {
		if u.Resource == resource {
			return false
		}
	}
	return true
}
