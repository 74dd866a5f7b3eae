package validation

import (
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/internal/lazyregexp"
)

// The bounds that the CRDs have as well. A test holds the two together.
const (
	maxPort            = 65535
	maxReplicas        = 10_000
	maxScaledReplicas  = 30_000
	maxTarget          = 1000
	maxPathLength      = 512
	maxImageLength     = 512
	maxVersionLength   = 128
	maxNameLength      = 40
	maxDNSName         = 253
	maxLabel           = 63
	maxModuleText      = 128
	maxMethods         = 9
	maxResources       = 8
	maxEnv             = 200
	maxEnvFrom         = 32
	maxConfig          = 200
	maxCapabilities    = 32
	maxFailures        = 100
	maxSteps           = 20
	maxMetrics         = 8
	maxSamples         = 1_000_000
	maxPercent         = 7
	maxQuantile        = 8
	maxNumber          = 32
	maxShortDuration   = 16
	maxPromQL          = 2048
	maxVersionsKept    = 100
	maxTags            = 32
	maxTransformers    = 64
	maxModules         = 32
	maxParentRefs      = 32
	maxHostnames       = 16
	maxFilters         = 16
	maxPodEntries      = 64
	maxArgs            = 256
	maxPullSecrets     = 16
	maxSpread          = 16
	maxVolumes         = 12
	maxVolumeMounts    = 32
	minGracePeriod     = 10
	maxGracePeriod     = 3600
	maxStabilization   = 3600
	maxPolicyPeriod    = 1800
	minTokenExpiration = 600
)

// atMost refuses text that is too long.
func atMost[T ~string](p *field.Path, text T, limit int) field.ErrorList {
	if utf8.RuneCountInString(string(text)) <= limit {
		return nil
	}
	return field.ErrorList{field.TooLong(p, string(text), limit)}
}

// atMostItems refuses too many entries of a list or map.
func atMostItems(p *field.Path, count, limit int) field.ErrorList {
	if count <= limit {
		return nil
	}
	return field.ErrorList{field.TooMany(p, count, limit)}
}

// between refuses a number out of bounds. Nobody set a nil one.
func between[N int32 | int64](p *field.Path, value *N, least, most N) field.ErrorList {
	if value == nil || *value >= least && *value <= most {
		return nil
	}
	return field.ErrorList{field.Invalid(p, *value, fmt.Sprintf("must be between %d and %d", least, most))}
}

// oneOf refuses a word that is not on the list. Nobody set an empty one.
func oneOf[T ~string](p *field.Path, word T, allowed ...T) field.ErrorList {
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

// unique refuses entries that stand in a list twice.
func unique[T comparable](p *field.Path, list []T) field.ErrorList {
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

// each runs a check on every entry of a list.
func each[T any](p *field.Path, list []T, find func(*field.Path, *T) field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		errs = append(errs, find(p.Index(i), &list[i])...)
	}
	return errs
}

// wrong is one fault of a value.
func wrong(p *field.Path, value any, sentence string) field.ErrorList {
	return field.ErrorList{field.Invalid(p, value, sentence)}
}

// missing is one value that is not there.
func missing(p *field.Path, sentence string) field.ErrorList {
	return field.ErrorList{field.Required(p, sentence)}
}

// join is the faults of several checks.
func join(lists ...field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	for _, list := range lists {
		errs = append(errs, list...)
	}
	return errs
}

// sentences turns what apimachinery says of a value into faults.
func sentences(p *field.Path, value any, said []string) field.ErrorList {
	var errs field.ErrorList
	for _, sentence := range said {
		errs = append(errs, field.Invalid(p, value, sentence))
	}
	return readable(errs)
}

var pattern = lazyregexp.New(`,? regex used for validation is '[^']*'`)

// readable takes the regular expressions out of apimachinery's sentences: the
// words before them say the same.
func readable(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		e.Detail = pattern.ReplaceAllString(e.Detail, "")
	}
	return errs
}

// noValue stands for a value that would not help to see.
var noValue = field.OmitValueType{}
