package records

import (
	"cmp"
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Tags returns the tags of each version. A tag selects one version of a handler: that
// of the oldest record which has it. A tag that equals the name of a version selects
// that version only.
func Tags(elections map[string]Election) map[string][]string {
	var winners []*v1.GatiVersion
	versions := map[*v1.GatiVersion]string{}
	for version, e := range elections {
		if e.Winner != nil {
			winners = append(winners, e.Winner)
			versions[e.Winner] = version
		}
	}
	slices.SortFunc(winners, byAge)
	out, given := map[string][]string{}, map[string]bool{}
	for _, w := range winners {
		for _, tag := range w.Spec.Tags {
			if _, isVersion := elections[string(tag)]; isVersion || given[string(tag)] {
				continue
			}
			given[string(tag)] = true
			out[versions[w]] = append(out[versions[w]], string(tag))
		}
	}
	return out
}

// TagTaken returns an error text when an elected record of another version of the
// handler already has a tag; empty otherwise.
func TagTaken(record *v1.GatiVersion, tag v1.Tag, others []v1.GatiVersion) string {
	handler, version := About(record)
	if handler == "" || version == "" {
		return "" // A bound record has the result in its status.
	}
	for i := range others {
		o := &others[i]
		theirHandler, theirVersion := About(o)
		if o.Name == record.Name || o.DeletionTimestamp != nil || theirHandler != handler || theirVersion == version {
			continue
		}
		if slices.Contains(o.Spec.Tags, tag) {
			return fmt.Sprintf("leads to version %s by GatiVersion %s already; remove it there first", theirVersion, o.Name)
		}
	}
	return ""
}

// About returns the handler and version of a record, bound or not yet.
func About(record *v1.GatiVersion) (handler, version string) {
	if b, ok := Bound(record); ok {
		return b.Handler, b.Version
	}
	return NamedHandler(record), string(record.Spec.Version)
}

// Older returns the others that are older than a record.
func Older(record *v1.GatiVersion, others []v1.GatiVersion) []v1.GatiVersion {
	return slices.DeleteFunc(slices.Clone(others), func(o v1.GatiVersion) bool { return byAge(&o, record) >= 0 })
}

func byAge(a, b *v1.GatiVersion) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

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
