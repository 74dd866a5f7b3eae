package records

import (
	"cmp"
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Tags returns the tags that lead to each version. A tag leads to one version of a
// handler: of several records that have it, to the oldest one's. One that is the
// name of a version leads to that version alone.
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

// TagTaken reports that a record has a tag of another version of its handler, by the record that has it: the one of others that counts. It is
// empty where there is none.
func TagTaken(record *v1.GatiVersion, tag v1.Tag, others []v1.GatiVersion) string {
	handler, version := About(record)
	if handler == "" || version == "" {
		return "" // Once it is bound, its status tells.
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

// About is the version that a record is about, bound or not yet.
func About(record *v1.GatiVersion) (handler, version string) {
	if b, ok := Bound(record); ok {
		return b.Handler, b.Version
	}
	return NamedHandler(record), string(record.Spec.Version)
}

// Older returns those of others that are older than a record.
func Older(record *v1.GatiVersion, others []v1.GatiVersion) []v1.GatiVersion {
	return slices.DeleteFunc(slices.Clone(others), func(o v1.GatiVersion) bool { return byAge(&o, record) >= 0 })
}

func byAge(a, b *v1.GatiVersion) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}
