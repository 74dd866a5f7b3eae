package signals

import (
	"fmt"

	"github.com/prometheus/common/model"
)

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
	return fmt.Sprintf("sum(rate(%s[%s]))", s.selector(set.requests, about), model.Duration(ratePeriods*c.ScrapeInterval))
}
