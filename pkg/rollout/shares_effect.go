package rollout

import (
	"fmt"
	"maps"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

// Share is a version's part of the traffic, in percent.
type Share struct {
	Version string `json:"version"`
	Percent int32  `json:"percent"`
}

// ShareChange is the final effect of a change of records.
type ShareChange struct {
	// Before and After have the live versions, oldest first. Without a gateway they have
	// the shares that the pods come to.
	Before, After []Share
	// Requested is the sum of the percents that the records then request. Another sum
	// than 100 is scaled; 0 leaves the shares as they are.
	Requested int32
}

// SharesWith returns what shares lead to under the strategy Manual. traffic has them by
// version; nil removes one.
func SharesWith(in Input, traffic map[string]*int32) ShareChange {
	before := settledShares(in)
	after := settledShares(withTraffic(in, traffic))
	if before == nil || after == nil {
		return ShareChange{}
	}
	return ShareChange{before.traffic.listRealShares(), after.traffic.listRealShares(), after.shares.requested}
}

// UndoShares returns the fewest shares that revert a change: those that the records had,
// those that the versions had, or where these would lead elsewhere, a share for each
// version.
func UndoShares(in Input, traffic map[string]*int32) map[string]*int32 {
	before := settledShares(in)
	after := settledShares(withTraffic(in, traffic))
	if before == nil || after == nil {
		return nil
	}
	had, shares, all := map[string]*int32{}, map[string]*int32{}, map[string]*int32{}
	for version := range traffic {
		had[version] = in.Records[version].Traffic
		weight := before.versionWeight(version)
		shares[version] = &weight
	}
	for _, s := range before.listShares() {
		all[s.Version] = &s.Percent
	}
	moved := withTraffic(in, traffic)
	moved.State = State{Versions: after.persistedVersions(), Rollout: after.ro}
	for _, undo := range []map[string]*int32{had, shares} {
		again := settledShares(withTraffic(moved, undo))
		if again != nil && equalShares(again.listShares(), before.listShares()) {
			return undo
		}
	}
	return all
}

// RefuseShare returns why a share of a version's record would move nothing under the
// strategy Manual, with the remedy; empty where it would.
func RefuseShare(in Input, version string) string {
	in.Request = nil
	m, decidable := newPrepared(in)
	if !decidable {
		return ""
	}
	if p := m.ro.Pinned; p != nil {
		return fmt.Sprintf("the rollback to %s by %s keeps all traffic there; end it first: %s", p.Title(), p.By, remedy.Retry.For(m.handler))
	}
	u := m.servingUnit(version)
	switch {
	case u == nil && m.isDecommissioned(version):
		return fmt.Sprintf("%s is decommissioned and has no pods; declare it again, or return to it: %s", version, remedy.ReturnTo.For(m.handler, version))
	case u == nil:
		return ""
	case m.recordFor(u).Inactive:
		return fmt.Sprintf("%sits record says active: false; activate it first: %s", heldPrefix(u.Ref()), remedy.Activate.For(m.handler, version))
	case m.contracts.holdFor(version) != "":
		return heldPrefix(u.Ref()) + m.contracts.holdFor(version)
	case m.rejectionFor(u) != "" && u.Weight == 0:
		return fmt.Sprintf("%s was rejected: %s; try it again first: %s", titleFor(u), m.rejectionFor(u), remedy.Retry.For(m.handler))
	default:
		return ""
	}
}

func withTraffic(in Input, traffic map[string]*int32) Input {
	in.Records = maps.Clone(in.Records)
	if in.Records == nil {
		in.Records = map[string]Record{}
	}
	for version, share := range traffic {
		r := in.Records[version]
		r.Traffic = share
		in.Records[version] = r
	}
	return in
}

// settledShares returns the machine as it is once the weights are those that the records
// request; nil where nothing was decided yet.
func settledShares(in Input) *machine {
	in.Request = nil
	m, decidable := newPrepared(in)
	if !decidable || m.findUnit(m.ro.Stable) == nil {
		return nil
	}
	goal := m.shares.recordedWeights()
	for _, u := range m.units {
		u.Weight = goal[u]
	}
	m.electStable()
	return m
}

// equalShares compares shares; a version that is missing has none.
func equalShares(a, b []Share) bool {
	percents := map[string]int32{}
	for _, s := range a {
		percents[s.Version] += s.Percent
	}
	for _, s := range b {
		percents[s.Version] -= s.Percent
	}
	for _, left := range percents {
		if left != 0 {
			return false
		}
	}
	return true
}

// listShares returns the share of each live version.
func (r *roster) listShares() []Share {
	var out []Share
	seen := map[string]bool{}
	for _, u := range r.units {
		if isLive(u) && u.Phase != v1.VersionDraining && !seen[u.Version] || u.Weight > 0 && !seen[u.Version] {
			seen[u.Version] = true
			out = append(out, Share{u.Version, r.versionWeight(u.Version)})
		}
	}
	return out
}
