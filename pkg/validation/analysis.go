package validation

import (
	"cmp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/lazyregexp"
)

// The forms of numbers as text, which CEL has as well.
var (
	percentPattern  = lazyregexp.New(`^(100([.]0{1,3})?|[0-9]{1,2}([.][0-9]{1,3})?)$`)
	quantilePattern = lazyregexp.New(`^0[.][0-9]{1,4}$`)
	decimalPattern  = lazyregexp.New(`^-?[0-9]{1,15}([.][0-9]{1,9})?$`)
	shortPattern    = lazyregexp.New(`^([0-9]{1,7}ms|[0-9]{1,5}s)$`)
	allZero         = lazyregexp.New(`^0[.]?0*(ms|s)?$`)
	queryName       = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$`)
)

// QueriesNotAllowed is why a query of a user's is refused, or has no answer.
const QueriesNotAllowed = "the operator does not allow queries of users: remove it, or set analysis-queries in the configuration of gati-webhook"

// placeholders are what stands for something in a query.
var placeholders = strings.NewReplacer(
	"{{namespace}}", "", "{{handler}}", "", "{{version}}", "", "{{workload}}", "", "{{deployment}}", "",
	"{{service}}", "", "{{pods}}", "", "{{window}}", "")

// analysis refuses what nothing could be held to.
func analysis(p *field.Path, a *v1.Analysis) field.ErrorList {
	if a == nil {
		return nil
	}
	metrics := p.Child("metrics")
	errs := join(
		duration(p.Child("interval"), a.Interval),
		duration(p.Child("window"), a.Window),
		oneOf(p.Child("mode"), a.Mode, v1.AnalysisBackground, v1.AnalysisStep),
		between(p.Child("failureLimit"), a.FailureLimit, 1, maxFailures),
		between(p.Child("minSamples"), a.MinSamples, 1, maxSamples),
		oneOf(p.Child("noData"), a.NoData, v1.NoDataWait, v1.NoDataPass, v1.NoDataFail),
		atMostItems(metrics, len(a.Metrics), maxMetrics),
		each(metrics, a.Metrics, analysisMetric),
	)
	switch {
	case len(a.Metrics) == 0:
		errs = append(errs, field.Required(metrics, "name what is measured, such as successRate, or remove analysis"))
	case measuredTwice(a.Metrics):
		errs = append(errs, wrong(metrics, noValue, "must not measure the same twice; remove one, or give queries names of their own")...)
	}
	return errs
}

func measuredTwice(list []v1.AnalysisMetric) bool {
	seen := map[string]bool{}
	for _, m := range list {
		var keys []string
		if m.SuccessRate != nil {
			keys = append(keys, "success")
		}
		if m.Latency != nil {
			keys = append(keys, "latency/"+string(cmp.Or(m.Latency.Quantile, v1.DefaultQuantile)))
		}
		if m.Query != nil {
			keys = append(keys, "query/"+m.Query.Name)
		}
		for _, key := range keys {
			if seen[key] {
				return true
			}
			seen[key] = true
		}
	}
	return false
}

func analysisMetric(p *field.Path, m *v1.AnalysisMetric) field.ErrorList {
	var kinds int
	for _, has := range []bool{m.SuccessRate != nil, m.Latency != nil, m.Query != nil} {
		if has {
			kinds++
		}
	}
	errs := join(
		successRate(p.Child("successRate"), m.SuccessRate),
		latency(p.Child("latency"), m.Latency),
		analysisQuery(p.Child("query"), m.Query),
	)
	if kinds != 1 {
		errs = append(errs, wrong(p, noValue, "must have exactly one of successRate, latency and query")...)
	}
	return errs
}

func successRate(p *field.Path, s *v1.SuccessRate) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := join(percent(p.Child("min"), s.Min), baseline(p.Child("baseline"), s.Baseline))
	if s.Min == "" && s.Baseline == nil {
		errs = append(errs, wrong(p, noValue, "must have min, baseline or both")...)
	}
	return errs
}

func latency(p *field.Path, l *v1.Latency) field.ErrorList {
	if l == nil {
		return nil
	}
	errs := join(
		numeric(p.Child("quantile"), l.Quantile, maxQuantile, quantilePattern, "must be a number between 0 and 1, such as 0.99"),
		numeric(p.Child("max"), l.Max, maxShortDuration, shortPattern, "must be milliseconds or seconds, such as 500ms or 2s, and at least 1ms"),
		baseline(p.Child("baseline"), l.Baseline),
	)
	if l.Max == "" && l.Baseline == nil {
		errs = append(errs, wrong(p, noValue, "must have max, baseline or both")...)
	}
	return errs
}

func baseline(p *field.Path, b *v1.Baseline) field.ErrorList {
	if b == nil {
		return nil
	}
	if b.Within == "" {
		return missing(p.Child("within"), "say how much worse the new version may be, such as 1")
	}
	return percent(p.Child("within"), b.Within)
}

func percent(p *field.Path, text v1.Percent) field.ErrorList {
	if text == "" || percentPattern.MatchString(string(text)) {
		return nil
	}
	if errs := atMost(p, text, maxPercent); errs != nil {
		return errs
	}
	return wrong(p, text, "must be a number from 0 to 100 with at most three digits after the point, such as 99.5")
}

// numeric refuses text that is no number above zero in the given form. Nobody set
// an empty one.
func numeric[T ~string](p *field.Path, text T, most int, form *lazyregexp.Regexp, sentence string) field.ErrorList {
	switch {
	case text == "":
		return nil
	case len(text) > most:
		return atMost(p, text, most)
	case !form.MatchString(string(text)), allZero.MatchString(string(text)):
		return wrong(p, text, sentence)
	}
	return nil
}

func analysisQuery(p *field.Path, q *v1.AnalysisQuery) field.ErrorList {
	if q == nil {
		return nil
	}
	errs := join(queryTitle(p.Child("name"), q.Name), promQL(p.Child("promQL"), q.PromQL), number(p.Child("min"), q.Min), number(p.Child("max"), q.Max))
	if q.Min == "" && q.Max == "" {
		errs = append(errs, wrong(p, noValue, "must have min, max or both")...)
	}
	least, bad := strconv.ParseFloat(string(q.Min), 64)
	most, worse := strconv.ParseFloat(string(q.Max), 64)
	if bad == nil && worse == nil && least > most {
		errs = append(errs, wrong(p.Child("min"), q.Min, "must not be above max; lower min or raise max")...)
	}
	return errs
}

func queryTitle(p *field.Path, name string) field.ErrorList {
	switch {
	case name == "":
		return missing(p, "name what the query measures, such as queue length")
	case len(name) > maxLabel:
		return atMost(p, name, maxLabel)
	case !queryName.MatchString(name):
		return wrong(p, name, "must hold letters, digits, spaces, dots, hyphens and underscores, such as queue length")
	}
	return nil
}

func promQL(p *field.Path, text string) field.ErrorList {
	switch {
	case strings.Trim(text, " \n\t") == "":
		return wrong(p, text, "must be a query in PromQL such as sum(queue_length{namespace='{{namespace}}',pod=~'{{pods}}'})")
	case len(text) > maxPromQL:
		return atMost(p, text, maxPromQL)
	case strings.Contains(placeholders.Replace(text), "{{"):
		return wrong(p, text, "must have no other placeholder than {{namespace}}, {{handler}}, {{version}}, {{workload}}, {{deployment}}, {{service}}, {{pods}} and {{window}}; remove the other {{")
	}
	return nil
}

func number(p *field.Path, text v1.Number) field.ErrorList {
	if text == "" || decimalPattern.MatchString(string(text)) {
		return nil
	}
	if errs := atMost(p, text, maxNumber); errs != nil {
		return errs
	}
	return wrong(p, text, "must be a decimal number such as 100 or 0.25")
}

// moduleScaling refuses warm pods where there is no version before.
func moduleScaling(p *field.Path, a *v1.Autoscaling) field.ErrorList {
	errs := autoscaling(p, a)
	if a != nil && a.WarmReplicas != nil {
		errs = append(errs, wrong(p.Child("warmReplicas"), *a.WarmReplicas, "must not be set: a module has no version before; remove it")...)
	}
	return errs
}
