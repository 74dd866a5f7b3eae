package records

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Election is the outcome among the records of one version.
type Election struct {
	// Winner is the record that counts, nil when there is none.
	Winner *v1.GatiVersion
	// Refused says of each other record of a user why it does not count.
	Refused map[string]string
	// Yielding are the automatic records that a user's has taken the place of.
	Yielding []*v1.GatiVersion
}

// IsAutomatic reports whether the controller wrote the record and no user has taken it
// over since. The label decides until the controller has seen the record, no longer.
func IsAutomatic(record *v1.GatiVersion) bool {
	if record.Status.Automatic != nil {
		return *record.Status.Automatic
	}
	return record.Labels[v1.LabelAutomatic] == "true"
}

// Elect chooses among the records of one version. A user's record takes the
// place of the automatic one, unless that carries something which others have
// put there and the user's would lose; of several users' the oldest counts.
func Elect(records []*v1.GatiVersion) Election {
	out := Election{Refused: map[string]string{}}
	users, automatic := split(records)
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
			out.Refused[u.Name] = fmt.Sprintf("record %s is older and stands for the same version; delete one of them", out.Winner.Name)
		}
	}
	if out.Winner == nil && len(automatic) > 0 {
		out.Winner, automatic = automatic[0], automatic[1:]
	}
	out.Yielding = automatic
	return out
}

// ByVersion holds an election for each version of a handler that some records are bound
// to.
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

// split sorts records by age and tells the users' from the automatic ones.
func split(records []*v1.GatiVersion) (users, automatic []*v1.GatiVersion) {
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
