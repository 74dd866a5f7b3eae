package validation

import (
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/lazyregexp"
	"gati.dev/gati/pkg/naming"
)

var (
	namePattern   = lazyregexp.New(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	tagPattern    = lazyregexp.New(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)
	numberPattern = lazyregexp.New(`^[0-9]+$`)
)

// objectName refuses names that the names of the children cannot be made of. The
// API server makes a name of generateName only after the mutating webhook.
func objectName(name, generateName string) field.ErrorList {
	if name == "" && generateName != "" {
		return nil
	}
	if namePattern.MatchString(name) && len(name) <= maxNameLength && !strings.Contains(name, "--") {
		return nil
	}
	return wrong(namePath, name, "metadata.name must start with a letter, hold only a-z, 0-9 and single hyphens, and have at most 40 characters: the names of the children are made of it")
}

// otherName refuses what cannot be the name of a Gati object.
func otherName(p *field.Path, name v1.ObjectName) field.ErrorList {
	if name == "" {
		return nil
	}
	errs := atMost(p, name, maxNameLength)
	if !namePattern.MatchString(string(name)) || strings.Contains(string(name), "--") {
		errs = append(errs, field.Invalid(p, name, "must be the name of a Gati object: a letter first, then a-z, 0-9 and single hyphens"))
	}
	return errs
}

// modules refuses lists of names that no modules can have.
func modules(p *field.Path, names []v1.ObjectName) field.ErrorList {
	return join(atMostItems(p, len(names), maxModules), unique(p, names),
		each(p, names, func(p *field.Path, name *v1.ObjectName) field.ErrorList {
			if *name == "" {
				return wrong(p, *name, "must be the name of a Gati object: a letter first, then a-z, 0-9 and single hyphens")
			}
			return otherName(p, *name)
		}))
}

// versionID refuses what is no version. An empty one is derived.
func versionID(p *field.Path, id v1.VersionID) field.ErrorList {
	if id == "" {
		return nil
	}
	errs := atMost(p, id, maxVersionLength)
	if len(errs) == 0 && !naming.IsVersion(string(id)) {
		errs = wrong(p, id, "must be a version such as v1, v1.2.3 or v1.2.3-rc.1, or a Timescape id such as tsv:1732186200-users-001")
	}
	return errs
}

// tags refuses names of versions that a header cannot tell from times.
func tags(p *field.Path, list []v1.Tag) field.ErrorList {
	return join(atMostItems(p, len(list), maxTags), unique(p, list),
		each(p, list, func(p *field.Path, tag *v1.Tag) field.ErrorList {
			errs := atMost(p, *tag, maxLabel)
			if !tagPattern.MatchString(string(*tag)) || numberPattern.MatchString(string(*tag)) {
				errs = append(errs, field.Invalid(p, *tag, "must hold only a-z, 0-9, dots, hyphens and underscores, start and end with a letter or digit, and not be a number: the runtime reads numbers as times"))
			}
			return errs
		}))
}

// dnsName refuses what cannot be the name of most Kubernetes objects. The CRDs
// bound only its length, since a repeated pattern costs CEL's budget.
func dnsName(p *field.Path, name string) field.ErrorList {
	if name == "" {
		return nil
	}
	if errs := atMost(p, name, maxDNSName); errs != nil {
		return errs
	}
	return sentences(p, name, utilvalidation.IsDNS1123Subdomain(name))
}

// requiredName is dnsName for a name that must be there.
func requiredName(p *field.Path, name, kind string) field.ErrorList {
	if name == "" {
		return missing(p, "name the "+kind)
	}
	return dnsName(p, name)
}

// deploymentName refuses what cannot be the name of a Deployment.
func deploymentName(p *field.Path, name string) field.ErrorList { return dnsName(p, name) }

// serviceName refuses what cannot be the name of a Service.
func serviceName(p *field.Path, name string) field.ErrorList {
	if name == "" {
		return nil
	}
	if errs := atMost(p, name, maxLabel); errs != nil {
		return errs
	}
	return sentences(p, name, utilvalidation.IsDNS1035Label(name))
}
