package rollout

import (
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// A client that keeps a connection stays with its pod, also after the traffic has moved on.
// The pods of a version without traffic let go of such clients, and report the file of
// transformers after that. The contract moves to a version that they do not serve only then.

// releaseInterval is how often pods without traffic are asked whether they have let go.
const releaseInterval = 30 * time.Second

// LacksTraffic reports whether nothing but pins leads to a version with pods. The stable
// version and the target of a rollout never lack it: it begins or comes back at any time.
func (s State) LacksTraffic(version string) bool {
	for _, ref := range []*v1.UnitRef{s.Rollout.Stable, s.Rollout.Target} {
		if ref != nil && ref.Version == version {
			return false
		}
	}
	return !slices.ContainsFunc(s.Versions, func(u v1.VersionStatus) bool { return u.Version == version && u.Weight > 0 })
}
