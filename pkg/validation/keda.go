package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// validateKeda rejects triggers that KEDA must not get.
func validateKeda(p *field.Path, k *v1.Keda) field.ErrorList {
	if k == nil {
		return nil
	}
	errs := joinErrors(
		limitRange(p.Child("requestsPerSecond"), k.RequestsPerSecond, 1, maxRequestsPerSecond),
		forEach(p.Child("cron"), k.Cron, validateCron),
		forEach(p.Child("triggers"), k.Triggers, validateTrigger),
	)
	if k.Cron != nil {
		errs = append(errs, requireItems(p.Child("cron"), len(k.Cron), maxKedaTriggers)...)
	}
	if k.Triggers != nil {
		errs = append(errs, requireItems(p.Child("triggers"), len(k.Triggers), maxKedaTriggers)...)
	}
	if k.ScaleToZero != nil && *k.ScaleToZero && len(k.Cron)+len(k.Triggers) == 0 {
		errs = append(errs, field.Invalid(p.Child("scaleToZero"), true, "needs a trigger that a version without pods can fire; add one to cron or triggers"))
	}
	return errs
}

var cronPattern = lazyregexp.New(`^[^ ]+( [^ ]+){4}$`)

func validateCron(p *field.Path, c *v1.KedaCron) field.ErrorList {
	errs := joinErrors(
		requireText(p.Child("timezone"), c.Timezone, maxTimezone),
		limitRange(p.Child("replicas"), &c.Replicas, 1, maxReplicas),
	)
	for _, at := range []struct{ name, text, example string }{{"start", c.Start, "0 8 * * 1-5"}, {"end", c.End, "0 18 * * 1-5"}} {
		errs = append(errs, limitLength(p.Child(at.name), at.text, maxCron)...)
		if !cronPattern.MatchString(at.text) {
			errs = append(errs, field.Invalid(p.Child(at.name), at.text, fmt.Sprintf("must be a cron expression of five fields, such as %s", at.example)))
		}
	}
	return errs
}

func validateTrigger(p *field.Path, t *v1.KedaTrigger) field.ErrorList {
	errs := joinErrors(
		requireOneOf(p.Child("type"), t.Type, v1.KedaTriggerTypes...),
		limitItems(p.Child("metadata"), len(t.Metadata), maxTriggerSettings),
	)
	if ref := t.AuthenticationRef; ref != nil {
		at := p.Child("authenticationRef")
		errs = append(errs, requireText(at.Child("name"), ref.Name, maxMetricName)...)
		errs = append(errs, allowOneOf(at.Child("kind"), ref.Kind, "TriggerAuthentication", "ClusterTriggerAuthentication")...)
	}
	return errs
}
