package validation

import (
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/naming"
)

var (
	namePattern   = lazyregexp.New(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	tagPattern    = lazyregexp.New(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)
	numberPattern = lazyregexp.New(`^[0-9]+$`)
)

// validateObjectName rejects names from which no names of children can be made. The
// API server resolves generateName only after the mutating webhook.
func validateObjectName(name, generateName string) field.ErrorList {
	if name == "" && generateName != "" {
		return nil
	}
	if namePattern.MatchString(name) && len(name) <= MaxNameLength && !strings.Contains(name, "--") {
		return nil
	}
	return invalidValue(namePath, name, "metadata.name must start with a letter, hold only a-z, 0-9 and single hyphens, and have at most 40 characters: the names of the children are made of it")
}

// validateReferencedName rejects text that cannot be the name of a Gati object.
func validateReferencedName(p *field.Path, name v1.ObjectName) field.ErrorList {
	if name == "" || namePattern.MatchString(string(name)) && !strings.Contains(string(name), "--") {
		return nil
	}
	return invalidValue(p, name, referencedNameDetail)
}

// validateModules rejects lists of names that modules cannot have.
func validateModules(p *field.Path, names []v1.ObjectName) field.ErrorList {
	return forEach(p, names, func(p *field.Path, name *v1.ObjectName) field.ErrorList {
		if *name == "" {
			return invalidValue(p, *name, referencedNameDetail)
		}
		return validateReferencedName(p, *name)
	})
}

const referencedNameDetail = "must be the name of a Gati object: a letter first, then a-z, 0-9 and single hyphens"

// validateVersionID rejects text that is not a version; empty is derived.
func validateVersionID(p *field.Path, id v1.VersionID) field.ErrorList {
	if id == "" || naming.IsVersion(string(id)) {
		return nil
	}
	return invalidValue(p, id, "must be a version such as v1, v1.2.3 or v1.2.3-rc.1, or a Timescape id such as tsv:1732186200-users-001")
}

// validateTags rejects tags that the version header would confuse with a time.
func validateTags(p *field.Path, list []v1.Tag) field.ErrorList {
	return forEach(p, list, func(p *field.Path, tag *v1.Tag) field.ErrorList {
		if tagPattern.MatchString(string(*tag)) && !numberPattern.MatchString(string(*tag)) {
			return nil
		}
		return invalidValue(p, *tag, "must hold only a-z, 0-9, dots, hyphens and underscores, start and end with a letter or digit, and not be a number: the runtime reads numbers as times")
	})
}

// validateDNSName rejects text that cannot be the name of most Kubernetes objects.
// The CRDs bound only its length, because a repeated pattern exceeds CEL's budget.
func validateDNSName(p *field.Path, name string) field.ErrorList {
	if name == "" {
		return nil
	}
	return invalidValues(p, name, utilvalidation.IsDNS1123Subdomain(name))
}

// requireDNSName is validateDNSName for a required name.
func requireDNSName(p *field.Path, name, kind string) field.ErrorList {
	if name == "" {
		return requiredValue(p, "name the "+kind)
	}
	return validateDNSName(p, name)
}

// validateServiceName rejects text that cannot be the name of a Service.
func validateServiceName(p *field.Path, name string) field.ErrorList {
	if name == "" {
		return nil
	}
	return invalidValues(p, name, utilvalidation.IsDNS1035Label(name))
}
