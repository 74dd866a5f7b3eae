package validation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

func validateModuleRollout(p *field.Path, r *v1.ModuleRollout) field.ErrorList {
	if r == nil {
		return nil
	}
	return validateDuration(p.Child("progressDeadline"), r.ProgressDeadline)
}

var configKeyPattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// validateConfig rejects settings that cannot become environment variables.
func validateConfig(p *field.Path, settings map[string]string) field.ErrorList {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if !configKeyPattern.MatchString(key) {
			return invalidValue(p, key, "each key must be a name of an environment variable: letters, digits and underscores, no digit first")
		}
	}
	return nil
}

var knownCapabilities = []v1.Capability{
	v1.CapabilityNetwork, v1.CapabilityStorage, v1.CapabilityNetworkEgress, v1.CapabilityNetworkIngress,
	v1.CapabilityFilesystemRead, v1.CapabilityFilesystemWrite, v1.CapabilityDatabaseRead, v1.CapabilityDatabaseWrite,
	v1.CapabilityCacheRead, v1.CapabilityCacheWrite, v1.CapabilitySecretsRead, v1.CapabilityMetricsWrite, v1.CapabilityLoggingWrite,
}

// validateCapabilities rejects capabilities that Gati cannot grant.
func validateCapabilities(p *field.Path, list []v1.Capability) field.ErrorList {
	return forEach(p, list, func(p *field.Path, c *v1.Capability) field.ErrorList {
		switch {
		case !slices.Contains(knownCapabilities, *c):
			return invalidValue(p, *c, "must be one of network, storage, network:egress, network:ingress, filesystem:read, filesystem:write, database:read, database:write, cache:read, cache:write, secrets:read, metrics:write; Linux capabilities cannot be granted")
		case *c == v1.CapabilityLoggingWrite:
			return invalidValue(p, *c, "needs no grant: what a module prints to stdout and stderr is always its log; remove it")
		default:
			return nil
		}
	})
}
