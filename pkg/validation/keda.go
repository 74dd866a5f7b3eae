package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// validateKeda rejects times that KEDA cannot read, and pods that nothing would start.
func validateKeda(p *field.Path, k *v1.Keda) field.ErrorList {
	if k == nil {
		return nil
	}
	errs := forEach(p.Child("cron"), k.Cron, validateCron)
	if k.ScaleToZero != nil && *k.ScaleToZero && len(k.Cron)+len(k.Triggers) == 0 {
		errs = append(errs, field.Invalid(p.Child("scaleToZero"), true, "needs a trigger that a version without pods can fire; add one to cron or triggers"))
	}
	return errs
}

var cronPattern = lazyregexp.New(`^[^ ]+( [^ ]+){4}$`)

func validateCron(p *field.Path, c *v1.KedaCron) field.ErrorList {
	var errs field.ErrorList
	for _, at := range []struct{ name, text, example string }{{"start", c.Start, "0 8 * * 1-5"}, {"end", c.End, "0 18 * * 1-5"}} {
		if !cronPattern.MatchString(at.text) {
			errs = append(errs, field.Invalid(p.Child(at.name), at.text, fmt.Sprintf("must be a cron expression of five fields, such as %s", at.example)))
		}
	}
	return errs
}
