package validation

import (
	"cmp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// Forms of numbers in text fields, which CEL checks as well.
var (
	percentPattern       = lazyregexp.New(`^(100([.]0{1,3})?|[0-9]{1,2}([.][0-9]{1,3})?)$`)
	quantilePattern      = lazyregexp.New(`^0[.][0-9]{1,4}$`)
	decimalPattern       = lazyregexp.New(`^-?[0-9]{1,15}([.][0-9]{1,9})?$`)
	shortDurationPattern = lazyregexp.New(`^([0-9]{1,7}ms|[0-9]{1,5}s)$`)
	zeroPattern          = lazyregexp.New(`^0[.]?0*(ms|s)?$`)
	zeroPercentPattern   = lazyregexp.New(`^0{1,2}([.]0{0,3})?$`)
	queryNamePattern     = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$`)
)

// QueriesNotAllowed is the message for a user's query that the operator's
// configuration forbids.
const QueriesNotAllowed = "the operator does not allow queries of users: remove it, or set analysis-queries in the configuration of gati-webhook"

// placeholderRemover removes the known placeholders from a query.
var placeholderRemover = strings.NewReplacer(
	"{{namespace}}", "", "{{handler}}", "", "{{version}}", "", "{{workload}}", "", "{{deployment}}", "",
	"{{service}}", "", "{{pods}}", "", "{{window}}", "")

// validateAnalysis rejects an analysis without metrics, and values out of bounds.
func validateAnalysis(p *field.Path, a *v1.Analysis) field.ErrorList {
	if a == nil {
		return nil
	}
	metrics := p.Child("metrics")
	errs := joinErrors(
		validateDuration(p.Child("interval"), a.Interval),
		validateConfidence(p.Child("confidence"), a.Confidence),
		validateDuration(p.Child("window"), a.Window),
		forEach(metrics, a.Metrics, validateMetric),
	)
	if len(a.Metrics) == 0 && !a.IsOff() {
		errs = append(errs, field.Required(metrics, "must be set, unless enabled is false"))
	}
	if hasDuplicateMetric(a.Metrics) {
		errs = append(errs, invalidValue(metrics, omitValue, "must not measure the same twice; remove one, or give each query its own name")...)
	}
	return errs
}

// The least confidence, and the one that no test can have.
const (
	minConfidence = 50
	certainty     = 100
)

func validateConfidence(p *field.Path, text v1.Percent) field.ErrorList {
	if errs := validatePercent(p, text); errs != nil || text == "" {
		return errs
	}
	if c := text.Float(); c < minConfidence || c >= certainty {
		return invalidValue(p, text, "must be at least 50 and less than 100, such as 99")
	}
	return nil
}

func hasDuplicateMetric(list []v1.AnalysisMetric) bool {
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

func validateMetric(p *field.Path, m *v1.AnalysisMetric) field.ErrorList {
	var kinds int
	for _, has := range []bool{m.SuccessRate != nil, m.Latency != nil, m.Query != nil} {
		if has {
			kinds++
		}
	}
	errs := joinErrors(
		validateSuccessRate(p.Child("successRate"), m.SuccessRate),
		validateLatency(p.Child("latency"), m.Latency),
		validateQuery(p.Child("query"), m.Query),
	)
	if kinds != 1 {
		errs = append(errs, invalidValue(p, omitValue, "must have exactly one of successRate, latency and query")...)
	}
	return errs
}

func validateSuccessRate(p *field.Path, s *v1.SuccessRate) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := joinErrors(validatePercent(p.Child("min"), s.Min), validateBaseline(p.Child("baseline"), s.Baseline))
	if zeroPercentPattern.MatchString(string(s.Min)) {
		errs = append(errs, invalidValue(p.Child("min"), s.Min, "must be more than 0; to accept any share, remove min")...)
	}
	if s.Min == "" && s.Baseline == nil {
		errs = append(errs, invalidValue(p, omitValue, "must have min, baseline or both")...)
	}
	return errs
}

func validateLatency(p *field.Path, l *v1.Latency) field.ErrorList {
	if l == nil {
		return nil
	}
	errs := joinErrors(
		validateDecimal(p.Child("quantile"), l.Quantile, quantilePattern, "must be a number between 0 and 1, such as 0.99"),
		validateDecimal(p.Child("max"), l.Max, shortDurationPattern, "must be milliseconds or seconds, such as 500ms or 2s, and at least 1ms"),
		validateBaseline(p.Child("baseline"), l.Baseline),
	)
	if l.Max == "" && l.Baseline == nil {
		errs = append(errs, invalidValue(p, omitValue, "must have max, baseline or both")...)
	}
	return errs
}

func validateBaseline(p *field.Path, b *v1.Baseline) field.ErrorList {
	if b == nil {
		return nil
	}
	if b.Within == "" {
		return requiredValue(p.Child("within"), "say how much worse the new version may be, such as 1")
	}
	return validatePercent(p.Child("within"), b.Within)
}

func validatePercent(p *field.Path, text v1.Percent) field.ErrorList {
	if text == "" || percentPattern.MatchString(string(text)) {
		return nil
	}
	return invalidValue(p, text, "must be a number from 0 to 100 with at most three digits after the point, such as 99.5")
}

// validateDecimal rejects text that is not a positive number in the given form.
// Empty text is unset.
func validateDecimal[T ~string](p *field.Path, text T, form *lazyregexp.Regexp, sentence string) field.ErrorList {
	if text == "" || form.MatchString(string(text)) && !zeroPattern.MatchString(string(text)) {
		return nil
	}
	return invalidValue(p, text, sentence)
}

func validateQuery(p *field.Path, q *v1.AnalysisQuery) field.ErrorList {
	if q == nil {
		return nil
	}
	errs := joinErrors(validateQueryName(p.Child("name"), q.Name), validatePromQL(p.Child("promQL"), q.PromQL), validateNumber(p.Child("min"), q.Min), validateNumber(p.Child("max"), q.Max))
	if q.Min == "" && q.Max == "" {
		errs = append(errs, invalidValue(p, omitValue, "must have min, max or both")...)
	}
	least, bad := strconv.ParseFloat(string(q.Min), 64)
	most, worse := strconv.ParseFloat(string(q.Max), 64)
	if bad == nil && worse == nil && least > most {
		errs = append(errs, invalidValue(p.Child("min"), q.Min, "must not be above max; lower min or raise max")...)
	}
	return errs
}

func validateQueryName(p *field.Path, name string) field.ErrorList {
	switch {
	case name == "":
		return requiredValue(p, "name what the query measures, such as queue length")
	case !queryNamePattern.MatchString(name):
		return invalidValue(p, name, "must hold letters, digits, spaces, dots, hyphens and underscores, such as queue length")
	}
	return nil
}

func validatePromQL(p *field.Path, text string) field.ErrorList {
	switch {
	case strings.Trim(text, " \n\t") == "":
		return invalidValue(p, text, "must be a query in PromQL such as sum(queue_length{namespace='{{namespace}}',pod=~'{{pods}}'})")
	case strings.Contains(placeholderRemover.Replace(text), "{{"):
		return invalidValue(p, text, "must have no other placeholder than {{namespace}}, {{handler}}, {{version}}, {{workload}}, {{deployment}}, {{service}}, {{pods}} and {{window}}; remove the other {{")
	}
	return nil
}

func validateNumber(p *field.Path, text v1.Number) field.ErrorList {
	if text == "" || decimalPattern.MatchString(string(text)) {
		return nil
	}
	return invalidValue(p, text, "must be a decimal number such as 100 or 0.25")
}

// validateModuleAutoscaling rejects warm pods, which a module never has: it has neither a
// previous version nor steps.
func validateModuleAutoscaling(p *field.Path, a *v1.Autoscaling) field.ErrorList {
	errs := validateAutoscaling(p, a)
	if a != nil && a.WarmReplicas != nil {
		errs = append(errs, invalidValue(p.Child("warmReplicas"), *a.WarmReplicas, "must not be set: a module has no version before; remove it")...)
	}
	if a != nil && a.WarmPool != nil {
		errs = append(errs, invalidValue(p.Child("warmPool"), *a.WarmPool, "must not be set: a module has no steps; remove it")...)
	}
	if a != nil && a.Keda != nil && a.Keda.ScaleToZero != nil {
		errs = append(errs, invalidValue(p.Child("keda", "scaleToZero"), *a.Keda.ScaleToZero, "must not be set: a module has no version that only a header reaches; remove it")...)
	}
	return errs
}
