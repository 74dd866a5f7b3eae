package validation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// validateModuleType rejects unknown module types.
func validateModuleType(p *field.Path, t v1.ModuleType) field.ErrorList {
	return requireOneOf(p, t, v1.ModuleNode, v1.ModuleWasm, v1.ModuleOCI)
}

func validateModuleRollout(p *field.Path, r *v1.ModuleRollout) field.ErrorList {
	if r == nil {
		return nil
	}
	return validateDuration(p.Child("progressDeadline"), r.ProgressDeadline)
}

var configKeyPattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// validateConfig rejects settings that cannot become environment variables.
func validateConfig(p *field.Path, settings map[string]string) field.ErrorList {
	errs := limitItems(p, len(settings), maxConfig)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if !configKeyPattern.MatchString(key) {
			errs = append(errs, field.Invalid(p, key, "each key must be a name of an environment variable: letters, digits and underscores, no digit first"))
			break
		}
	}
	return errs
}

var knownCapabilities = []v1.Capability{
	v1.CapabilityNetwork, v1.CapabilityStorage, v1.CapabilityNetworkEgress, v1.CapabilityNetworkIngress,
	v1.CapabilityFilesystemRead, v1.CapabilityFilesystemWrite, v1.CapabilityDatabaseRead, v1.CapabilityDatabaseWrite,
	v1.CapabilityCacheRead, v1.CapabilityCacheWrite, v1.CapabilitySecretsRead, v1.CapabilityMetricsWrite, v1.CapabilityLoggingWrite,
}

// validateCapabilities rejects capabilities that Gati cannot grant.
func validateCapabilities(p *field.Path, list []v1.Capability) field.ErrorList {
	return joinErrors(limitItems(p, len(list), maxCapabilities), rejectDuplicates(p, list),
		forEach(p, list, func(p *field.Path, c *v1.Capability) field.ErrorList {
			errs := limitLength(p, *c, maxPodEntries)
			if !slices.Contains(knownCapabilities, *c) {
				errs = append(errs, field.Invalid(p, *c, "must be one of network, storage, network:egress, network:ingress, filesystem:read, filesystem:write, database:read, database:write, cache:read, cache:write, secrets:read, metrics:write; Linux capabilities cannot be granted"))
			}
			if *c == v1.CapabilityLoggingWrite {
				errs = append(errs, field.Invalid(p, *c, "needs no grant: what a module prints to stdout and stderr is always its log; remove it"))
			}
			return errs
		}))
}
