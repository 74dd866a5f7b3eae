package records

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Election is the result of choosing among the records of one version.
type Election struct {
	// Winner is the elected record, or nil.
	Winner *v1.GatiVersion
	// Refused maps each other record of a user to the reason why it is not elected.
	Refused map[string]string
	// Yielding are the automatic records that a user's record replaces.
	Yielding []*v1.GatiVersion
}

// IsAutomatic reports whether the controller wrote the record and no user has taken it
// over since. The label decides only until the controller has set the status.
func IsAutomatic(record *v1.GatiVersion) bool {
	if record.Status.Automatic != nil {
		return *record.Status.Automatic
	}
	return record.Labels[v1.LabelAutomatic] == "true"
}

// Elect chooses among the records of one version. A user's record replaces the
// automatic one, unless others have set fields there that it would lose. Of several
// users' records the oldest is elected.
func Elect(records []*v1.GatiVersion) Election {
	out := Election{Refused: map[string]string{}}
	users, automatic := splitRecords(records)
	for _, auto := range automatic {
		for len(users) > 0 && out.Winner == nil {
			lost := wouldLose(auto, users[0])
			if lost == "" {
				out.Winner = users[0]
				break
			}
			out.Refused[users[0].Name] = fmt.Sprintf("record %s has %s that this one lacks or contradicts; repeat it here or remove it there", auto.Name, lost)
			users = users[1:]
		}
	}
	if out.Winner == nil && len(users) > 0 {
		out.Winner = users[0]
	}
	for _, u := range users {
		if u != out.Winner {
			out.Refused[u.Name] = fmt.Sprintf("record %s is older and records the same version; delete one of them", out.Winner.Name)
		}
	}
	if out.Winner == nil && len(automatic) > 0 {
		out.Winner, automatic = automatic[0], automatic[1:]
	}
	out.Yielding = automatic
	return out
}

// ByVersion returns an election for each version of a handler that has bound records.
func ByVersion(handler string, all []v1.GatiVersion) map[string]Election {
	of := map[string][]*v1.GatiVersion{}
	for i := range all {
		if b, ok := Bound(&all[i]); ok && b.Handler == handler {
			of[b.Version] = append(of[b.Version], &all[i])
		}
	}
	out := map[string]Election{}
	for version, records := range of {
		out[version] = Elect(records)
	}
	return out
}

// splitRecords sorts records by age and separates users' records from automatic ones.
func splitRecords(records []*v1.GatiVersion) (users, automatic []*v1.GatiVersion) {
	sorted := slices.Clone(records)
	slices.SortFunc(sorted, byAge)
	for _, r := range sorted {
		if IsAutomatic(r) {
			automatic = append(automatic, r)
		} else {
			users = append(users, r)
		}
	}
	return users, automatic
}
