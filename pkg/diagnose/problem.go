package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Problem is something wrong with one or more pods of a workload.
type Problem struct {
	Workload string `json:"workload,omitempty"`
	// Reason is the container's own, such as ImagePullBackOff.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Blocking is true where waiting does not make the pods ready.
	Blocking bool `json:"blocking"`
	// Pods have the same problem; none when pods cannot even be created.
	Pods []string `json:"pods,omitempty"`
	// Restarts is the highest number of restarts among them.
	Restarts int32 `json:"restarts,omitempty"`
	// Since is when it began for the first of them, where that is known.
	Since *metav1.Time `json:"since,omitempty"`
	// Next is the next step for the user.
	Next string `json:"next,omitempty"`

	// Cause is where it comes from.
	Cause Cause `json:"-"`
}

// Summary returns one line: the problem, how often, and with how many pods.
func (p *Problem) Summary() string {
	text := p.Reason
	if p.Message != "" {
		text += ": " + p.Message
	}
	switch {
	case p.Restarts == 1:
		text += ", 1 restart"
	case p.Restarts > 1:
		text += fmt.Sprintf(", %d restarts", p.Restarts)
	}
	if len(p.Pods) > 1 {
		return fmt.Sprintf("%d pods: %s", len(p.Pods), text)
	}
	return text
}

// Group makes one problem of equal ones and puts the worst first: what blocks, then
// what has most pods.
func Group(found []Problem) []Problem {
	type kind struct {
		workload, reason, message string
		blocking                  bool
	}
	byKind := map[kind]*Problem{}
	for _, p := range found {
		k := kind{p.Workload, p.Reason, p.Message, p.Blocking}
		if byKind[k] == nil {
			byKind[k] = &p
			continue
		}
		byKind[k].mergePods(p)
	}
	var out []Problem
	for _, p := range byKind {
		out = append(out, *p)
	}
	slices.SortFunc(out, compareProblems)
	return out
}

// mergePods adds the pods of an equal problem. The hint of the first pod by name stays,
// so that the order of the lists does not show.
func (p *Problem) mergePods(other Problem) {
	if len(other.Pods) > 0 && len(p.Pods) > 0 && other.Pods[0] < p.Pods[0] {
		p.Next = other.Next
	}
	p.Pods = append(p.Pods, other.Pods...)
	slices.Sort(p.Pods)
	p.Restarts = max(p.Restarts, other.Restarts)
	if p.Since == nil || (other.Since != nil && other.Since.Before(p.Since)) {
		p.Since = other.Since
	}
}

func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(rankOf(a), rankOf(b)),
		cmp.Compare(len(b.Pods), len(a.Pods)),
		cmp.Compare(a.Workload, b.Workload),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Message, b.Message),
	)
}

func rankOf(p Problem) int {
	if p.Blocking {
		return 0
	}
	return 1
}

// timeOrNil returns a pointer to a moment, or nil when it is not known.
func timeOrNil(t metav1.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
