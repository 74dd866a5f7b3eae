package signals

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The parts of the one query that a round asks. Each row of the answer has its part,
// and for those that look back the window in seconds, in the label partLabel.
const (
	partLabel    = "gati_part"
	partRequests = "requests"
	partBuckets  = "buckets"
	partSamples  = "samples"
	partAlive    = "alive"
	partActive   = "active"
)

// selection is what a query is about.
type selection struct {
	set            Set
	namespace, pod string
	matcher        string
}

// on returns a selector of a metric.
func (s selection) on(metric, about string) string {
	return metric + "{" + joined(",", about, s.set.matcher, s.matcher) + "}"
}

func joined(with string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), with)
}

// about is the matcher of the subjects: by the names of their pods, or what the
// gateway calls their Services.
func (s selection) about(subjects []Subject) string {
	if !s.set.gateway() {
		return fmt.Sprintf("%s=~%q", s.pod, podsOf(subjects))
	}
	var names []string
	for _, subject := range subjects {
		names = append(names, servicesOf(subject)...)
	}
	text := strings.Join(names, "|")
	if len(text) > longestSelection {
		text = ".+@kubernetesgateway"
	}
	return fmt.Sprintf("%s=~%q", s.set.service, text)
}

// by are the labels that tell whose a row is, with others.
func (s selection) by(others ...string) string {
	labels := []string{s.namespace, s.pod}
	if s.set.gateway() {
		labels = []string{s.set.service}
	}
	return strings.Join(slices.DeleteFunc(append(labels, others...), func(l string) bool { return l == "" }), ", ")
}

// plan is what one query asks.
type plan struct {
	// windows has the subjects by how far to look back, judged those of whose answers
	// the times matter.
	windows, judged map[time.Duration][]Subject
	all             []Subject
}

// query is everything in one: its parts are told apart by a label.
func (s selection) query(p plan) string {
	parts := []string{part(partAlive, 0, s.alive(p.all))}
	if s.set.active != "" {
		parts = append(parts, part(partActive, 0, fmt.Sprintf("sum by (%s) (%s)", s.by(), s.on(s.set.active, s.about(p.all)))))
	}
	for _, window := range slices.Sorted(maps.Keys(p.windows)) {
		about := s.about(p.windows[window])
		parts = append(parts,
			part(partSamples, window, s.samples(about, window)),
			part(partRequests, window, fmt.Sprintf("sum by (%s) (%s)", s.by(s.set.code, s.set.route), s.grown(s.set.requests, about, window))))
	}
	for _, window := range slices.Sorted(maps.Keys(p.judged)) {
		parts = append(parts, part(partBuckets, window, fmt.Sprintf("sum by (%s) (%s)", s.by("le", s.set.route), s.grown(s.set.buckets, s.about(p.judged[window]), window))))
	}
	return strings.Join(parts, "\nor ")
}

// part labels the rows of an expression.
func part(name string, window time.Duration, expression string) string {
	if window > 0 {
		name += "/" + strconv.Itoa(int(window/time.Second))
	}
	return fmt.Sprintf(`label_replace(%s, %q, %q, "", "")`, expression, partLabel, name)
}

// grown is by how much a counter has grown. increase alone takes the first value of a
// series for where it began: the first request after a start, or the first failure,
// would be none. So what was not there before counts as a whole.
func (s selection) grown(metric, about string, window time.Duration) string {
	selector, back := s.on(metric, about), seconds(window)
	return fmt.Sprintf("(max_over_time(%s[%s]) unless %s offset %s) or increase(%s[%s])", selector, back, selector, back, selector, back)
}

// alive is when what exports was last read. That a metric without requests is not
// there is no sign of anything else.
func (s selection) alive(subjects []Subject) string {
	if s.set.gateway() {
		return fmt.Sprintf("min(timestamp(%s))", s.on(s.set.alive, ""))
	}
	about := s.about(subjects)
	return fmt.Sprintf("max by (%s) (timestamp(%s) or timestamp(%s))", s.by(), s.on(s.set.alive, about), s.on(s.set.requests, about))
}

// samples is how often what exports was read in a window: once tells of no growth.
func (s selection) samples(about string, window time.Duration) string {
	back := seconds(window)
	if s.set.gateway() {
		return fmt.Sprintf("min(count_over_time(%s[%s]))", s.on(s.set.alive, ""), back)
	}
	return fmt.Sprintf("max by (%s) (count_over_time(%s[%s]) or count_over_time(%s[%s]))", s.by(),
		s.on(s.set.alive, about), back, s.on(s.set.requests, about), back)
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d/time.Second)) + "s" }

// Fill puts what a query is about in the place of its placeholders.
func Fill(promQL string, s Subject, window time.Duration) string {
	var pods []string
	for _, p := range s.Pods {
		pods = append(pods, p.Name)
	}
	return strings.NewReplacer(
		"{{namespace}}", s.Namespace, "{{handler}}", s.Handler, "{{version}}", s.Version, "{{workload}}", s.Workload,
		"{{deployment}}", s.Deployment, "{{service}}", s.Service, "{{pods}}", strings.Join(pods, "|"), "{{window}}", seconds(window),
	).Replace(promQL)
}
