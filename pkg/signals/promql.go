package signals

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// The parts of the one query of a round. The label partLabel of a row is its part,
// with the window in seconds for those that look back.
const (
	partLabel    = "gati_part"
	partRequests = "requests"
	partSamples  = "samples"
	partCounters = "counters"
	partBuckets  = "buckets"
	partStarted  = "started"
	partAlive    = "alive"
	partActive   = "active"
)

// selection has the metrics and labels that a query uses.
type selection struct {
	set            Set
	namespace, pod string
	matcher        string
}

// metricSelector returns a selector of a metric.
func (s selection) metricSelector(metric, about string) string {
	return metric + "{" + joinNonEmpty(",", about, s.set.matcher, s.matcher) + "}"
}

func joinNonEmpty(with string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), with)
}

// subjectMatcher returns the matcher of the subjects, by the names of their pods or
// by the gateway's names of their Services.
func (s selection) subjectMatcher(subjects []Subject) string {
	if !s.set.isGateway() {
		return fmt.Sprintf("%s=~%q,%s=~%q", s.namespace, namespacesPattern(subjects), s.pod, podNamesPattern(subjects))
	}
	var names []string
	for _, subject := range subjects {
		names = append(names, serviceNames(subject)...)
	}
	return fmt.Sprintf("%s=~%q", s.set.service, strings.Join(names, "|"))
}

// namespacesPattern returns a regular expression for the namespaces of subjects, which are
// ordered by them.
func namespacesPattern(subjects []Subject) string {
	var names []string
	for _, subject := range subjects {
		names = append(names, subject.Namespace)
	}
	return strings.Join(slices.Compact(names), "|")
}

// groupLabels returns the labels that identify a row, followed by others.
func (s selection) groupLabels(others ...string) string {
	labels := []string{s.namespace, s.pod}
	if s.set.isGateway() {
		labels = []string{s.set.service}
	}
	return strings.Join(slices.DeleteFunc(append(labels, others...), func(l string) bool { return l == "" }), ", ")
}

// queryPlan has the windows of one query.
type queryPlan struct {
	// traffic has the subjects by the windows of their traffic.
	traffic map[time.Duration][]Subject
	// judged are those whose counters are read.
	all, judged []Subject
}

// renderQuery returns one query for the whole plan. The parts differ in a label.
func (s selection) renderQuery(p queryPlan) string {
	parts := []string{labelPart(partAlive, 0, s.lastScrape(p.all))}
	if s.set.active != "" {
		parts = append(parts, labelPart(partActive, 0, fmt.Sprintf("sum by (%s) (%s)", s.groupLabels(), s.metricSelector(s.set.active, s.subjectMatcher(p.all)))))
	}
	for _, window := range slices.Sorted(maps.Keys(p.traffic)) {
		about := s.subjectMatcher(p.traffic[window])
		parts = append(parts,
			labelPart(partSamples, window, s.scrapeCount(about, window)),
			labelPart(partRequests, window, fmt.Sprintf("sum by (%s) (%s)", s.groupLabels(s.set.code, s.set.route), s.increaseOf(s.set.requests, about, window))))
	}
	if len(p.judged) > 0 {
		parts = append(parts, s.counterParts(p.judged)...)
	}
	return strings.Join(parts, "\nor ")
}

// counterParts returns the counters as they were scraped last, for each process.
func (s selection) counterParts(judged []Subject) []string {
	about := s.subjectMatcher(judged)
	out := []string{
		labelPart(partCounters, 0, fmt.Sprintf("sum by (%s) (%s)", s.groupLabels(s.set.instance, s.set.code, s.set.route), s.metricSelector(s.set.requests, about))),
		labelPart(partBuckets, 0, fmt.Sprintf("sum by (%s) (%s)", s.groupLabels(s.set.instance, "le", s.set.route), s.metricSelector(s.set.buckets, about))),
	}
	if s.set.isGateway() {
		out = append(out, labelPart(partStarted, 0, fmt.Sprintf("max by (%s) (%s and on (%s) %s)",
			s.set.instance, s.metricSelector(processStart, ""), s.set.instance, s.metricSelector(s.set.alive, ""))))
	}
	return out
}

// processStart is when a process started; every exporter of the Prometheus clients has it.
const processStart = "process_start_time_seconds"

// labelPart adds the label of the part to the rows of an expression.
func labelPart(name string, window time.Duration, expression string) string {
	if window > 0 {
		name += "/" + strconv.Itoa(int(window/time.Second))
	}
	return fmt.Sprintf(`label_replace(%s, %q, %q, "", "")`, expression, partLabel, name)
}

// increaseOf returns the increase of a counter. PromQL's increase alone starts at
// the first value of a series, so it would miss the first request after a start,
// and the first failure. A series that was not there before counts as a whole.
func (s selection) increaseOf(metric, about string, window time.Duration) string {
	selector, back := s.metricSelector(metric, about), formatSeconds(window)
	return fmt.Sprintf("(max_over_time(%s[%s]) unless %s offset %s) or increase(%s[%s])", selector, back, selector, back, selector, back)
}

// lastScrape returns when the exporter was last scraped. A missing metric of
// requests proves nothing: there is none before the first request.
func (s selection) lastScrape(subjects []Subject) string {
	if s.set.isGateway() {
		return fmt.Sprintf("min(timestamp(%s))", s.metricSelector(s.set.alive, ""))
	}
	about := s.subjectMatcher(subjects)
	return fmt.Sprintf("max by (%s) (timestamp(%s) or timestamp(%s))", s.groupLabels(), s.metricSelector(s.set.alive, about), s.metricSelector(s.set.requests, about))
}

// scrapeCount returns how often the exporter was scraped in a window. Once shows no
// increase.
func (s selection) scrapeCount(about string, window time.Duration) string {
	back := formatSeconds(window)
	if s.set.isGateway() {
		return fmt.Sprintf("min(count_over_time(%s[%s]))", s.metricSelector(s.set.alive, ""), back)
	}
	return fmt.Sprintf("max by (%s) (count_over_time(%s[%s]) or count_over_time(%s[%s]))", s.groupLabels(),
		s.metricSelector(s.set.alive, about), back, s.metricSelector(s.set.requests, about), back)
}

func formatSeconds(d time.Duration) string { return strconv.Itoa(int(d/time.Second)) + "s" }

// FillPlaceholders replaces the placeholders of a user's query.
func FillPlaceholders(promQL string, s Subject, window time.Duration) string {
	var pods []string
	for _, p := range s.Pods {
		pods = append(pods, p.Name)
	}
	return strings.NewReplacer(
		"{{namespace}}", s.Namespace, "{{handler}}", s.Handler, "{{version}}", s.Version, "{{workload}}", s.Workload,
		"{{deployment}}", s.Deployment, "{{service}}", s.Service, "{{pods}}", strings.Join(pods, "|"), "{{window}}", formatSeconds(window),
	).Replace(promQL)
}

// ratePeriods is over how many scrapes a rate is taken: one that is missed leaves enough.
const ratePeriods = 4

// RateQuery returns the query for the requests a second of the pods in a namespace whose
// names match a pattern; empty where the metrics are those of a gateway, which count no
// pods.
func RateQuery(c PrometheusConfig, namespace, pods string) string {
	set, err := FindSet(c.Metrics)
	if err != nil || set.isGateway() {
		return ""
	}
	s := selection{set: set, namespace: c.NamespaceLabel, pod: c.PodLabel, matcher: c.Matcher}
	about := fmt.Sprintf("%s=%q,%s=~%q", c.NamespaceLabel, namespace, c.PodLabel, pods)
	return fmt.Sprintf("sum(rate(%s[%s]))", s.metricSelector(set.requests, about), model.Duration(ratePeriods*c.ScrapeInterval))
}
