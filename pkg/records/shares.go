package records

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Sharing returns the other versions of the same handler that request a share of the
// traffic. Only live versions are counted: a record remains when its version is
// removed.
func Sharing(record *v1.GatiVersion, others []v1.GatiVersion, live []string) []string {
	handler, version := About(record)
	var out []string
	for i := range others {
		o := &others[i]
		theirHandler, theirVersion := About(o)
		asks := o.Spec.Traffic != nil && *o.Spec.Traffic > 0 && (o.Spec.Active == nil || *o.Spec.Active)
		if asks && o.DeletionTimestamp == nil && theirHandler == handler && theirVersion != version && slices.Contains(live, theirVersion) {
			out = append(out, theirVersion)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
