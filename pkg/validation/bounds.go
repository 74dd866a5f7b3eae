package validation

import (
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/pkg/lazyregexp"
)

// Bounds of the CRDs. A test compares the two.
const (
	maxPort                = 65535
	maxReplicas            = 10_000
	maxScaledReplicas      = 30_000
	maxUtilization         = 1000
	maxPathLength          = 512
	maxImageLength         = 512
	maxVersionLength       = 128
	maxNameLength          = 40
	maxDNSNameLength       = 253
	maxLabelLength         = 63
	maxModuleTextLength    = 128
	maxMethods             = 9
	maxResources           = 8
	maxEnv                 = 200
	maxEnvFrom             = 32
	maxConfig              = 200
	maxCapabilities        = 32
	maxFailures            = 100
	maxSteps               = 20
	maxMetrics             = 8
	maxChecks              = 8
	maxCheckNameLength     = 32
	maxCheckEnv            = 32
	maxAmountLength        = 32
	minDetect, maxDetect   = 2, 100
	maxSamples             = 1_000_000
	maxPercentLength       = 7
	maxQuantileLength      = 8
	maxNumberLength        = 32
	maxShortDurationLength = 16
	maxPromQLLength        = 2048
	maxVersionsKept        = 100
	maxTags                = 32
	maxTransformers        = 64
	maxModules             = 32
	maxParentRefs          = 32
	maxHostnames           = 16
	maxFilters             = 16
	maxPodEntries          = 64
	maxArgs                = 256
	maxPullSecrets         = 16
	maxSpreadConstraints   = 16
	maxVolumes             = 12
	maxVolumeMounts        = 32
	minGracePeriod         = 10
	maxGracePeriod         = 3600
	maxStabilization       = 3600
	maxPolicyPeriod        = 1800
	minTokenExpiration     = 600
	maxScalingMetrics      = 8
	maxMetricName          = 253
	maxMetricKind          = 63
	maxMetricLabels        = 16
	maxScalingAmount       = 24
	maxRequestsPerSecond   = 1_000_000
	maxKedaTriggers        = 10
	maxTriggerSettings     = 32
	maxTimezone            = 64
	maxCron                = 64
)

// requireText rejects text that is missing or too long.
func requireText(p *field.Path, text string, limit int) field.ErrorList {
	if text == "" {
		return field.ErrorList{field.Required(p, "")}
	}
	return limitLength(p, text, limit)
}

// requireItems rejects a list that is empty or too long.
func requireItems(p *field.Path, count, limit int) field.ErrorList {
	if count == 0 {
		return field.ErrorList{field.Invalid(p, count, "must have at least one entry; add one or remove the field")}
	}
	return limitItems(p, count, limit)
}

// limitLength rejects text that is too long.
func limitLength[T ~string](p *field.Path, text T, limit int) field.ErrorList {
	if utf8.RuneCountInString(string(text)) <= limit {
		return nil
	}
	return field.ErrorList{field.TooLong(p, string(text), limit)}
}

// limitItems rejects too many entries of a list or map.
func limitItems(p *field.Path, count, limit int) field.ErrorList {
	if count <= limit {
		return nil
	}
	return field.ErrorList{field.TooMany(p, count, limit)}
}

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

// rejectDuplicates rejects entries that a list holds twice.
func rejectDuplicates[T comparable](p *field.Path, list []T) field.ErrorList {
	var errs field.ErrorList
	seen := make(map[T]bool, len(list))
	for i, entry := range list {
		if seen[entry] {
			errs = append(errs, field.Duplicate(p.Index(i), entry))
		}
		seen[entry] = true
	}
	return errs
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
