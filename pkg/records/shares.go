package records

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Sharing returns the versions of the same handler, beside the one of the record,
// that ask for a share of the traffic. Only those that are live are counted: a
// record stays when its version is over.
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
