package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/pkg/lazyregexp"
)

// Bounds of names, and of Kubernetes' own types, whose schemas have none.
const (
	MaxNameLength      = 40
	maxStabilization   = 3600
	maxPolicyPeriod    = 1800
	minTokenExpiration = 600
)

// limitRange rejects a number out of bounds; nil is unset.
func limitRange[N int32 | int64](p *field.Path, value *N, least, most N) field.ErrorList {
	if value == nil || *value >= least && *value <= most {
		return nil
	}
	return field.ErrorList{field.Invalid(p, *value, fmt.Sprintf("must be between %d and %d", least, most))}
}

// allowOneOf rejects a value that is not in the list; empty is unset.
func allowOneOf[T ~string](p *field.Path, word T, allowed ...T) field.ErrorList {
	if word == "" {
		return nil
	}
	for _, a := range allowed {
		if word == a {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(p, word, allowed)}
}

// forEach runs a check on every entry of a list.
func forEach[T any](p *field.Path, list []T, find func(*field.Path, *T) field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		errs = append(errs, find(p.Index(i), &list[i])...)
	}
	return errs
}

// invalidValue returns a list with one error about a value.
func invalidValue(p *field.Path, value any, sentence string) field.ErrorList {
	return field.ErrorList{field.Invalid(p, value, sentence)}
}

// requiredValue returns a list with one error about a missing value.
func requiredValue(p *field.Path, sentence string) field.ErrorList {
	return field.ErrorList{field.Required(p, sentence)}
}

// joinErrors concatenates the errors of several checks.
func joinErrors(lists ...field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for _, list := range lists {
		errs = append(errs, list...)
	}
	return errs
}

// invalidValues turns messages of apimachinery about a value into errors.
func invalidValues(p *field.Path, value any, said []string) field.ErrorList {
	var errs field.ErrorList
	for _, sentence := range said {
		errs = append(errs, field.Invalid(p, value, sentence))
	}
	return removePatterns(errs)
}

var patternClause = lazyregexp.New(`,? regex used for validation is '[^']*'`)

// removePatterns removes regular expressions from apimachinery's messages, whose
// words say the same.
func removePatterns(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		e.Detail = patternClause.ReplaceAllString(e.Detail, "")
	}
	return errs
}

// omitValue stands for a value that does not help to understand the error.
var omitValue = field.OmitValueType{}
