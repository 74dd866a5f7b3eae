package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// setVersionPhases sets for each version whether it stays or drains.
func (r retention) setVersionPhases() {
	for _, u := range r.units {
		if !isLive(u) || r.runsInPlace(u) {
			continue
		}
		if !r.isLeaving(u) {
			u.Phase, u.DrainingSince = v1.VersionActive, nil
			continue
		}
		if e := r.evidence[u]; u.Phase == v1.VersionActive && e != nil {
			u.Evidence = e // Its drain begins with the measurement of this decision.
		}
		u.Phase = v1.VersionDraining
	}
}

// drainVersions removes what has drained, and persists what keeps the others.
func (r retention) drainVersions() {
	for r.endDrained() {
		// What keeps a version may depend on others that have just ended.
	}
	var stays []string
	for _, u := range r.units {
		if u.Stays == nil {
			continue
		}
		stays = append(stays, r.staysSentence(u))
		if u.Stays.Reason == v1.StaysTrafficUnknown {
			_, why := r.classifyTraffic(u, r.policy.SampleEvery())
			r.unmeasured = append(r.unmeasured, fmt.Sprintf("%s: %s.", titleFor(u), why))
		}
	}
	r.notes = append(r.notes, shortenStays(stays)...)
}

// maxStays is how many versions that drain have a sentence of their own.
const maxStays = 2

// shortenStays keeps the message of a handler from growing with the number of its versions.
func shortenStays(sentences []string) []string {
	if len(sentences) <= maxStays {
		return sentences
	}
	return append(sentences[:maxStays-1:maxStays-1], fmt.Sprintf("%d more versions drain; status.versions has why.", len(sentences)-maxStays+1))
}

// endDrained notes what keeps each version that drains, and ends those that nothing keeps. It
// reports whether there was one.
func (r retention) endDrained() (ended bool) {
	for _, u := range r.units {
		u.Stays = nil
		if !isLive(u) || u.Phase != v1.VersionDraining || r.runsInPlace(u) {
			continue
		}
		if u.Weight == 0 && u.ExposedWeight == 0 && u.DrainingSince == nil {
			u.DrainingSince = r.stampNow()
		}
		if u.Stays = r.findStay(u); u.Stays == nil {
			r.endVersion(u)
			ended = true
		}
	}
	return ended
}

// endVersion takes a version out of service. Its workload is deleted, its record
// stays.
func (r retention) endVersion(u *unit) {
	r.recordEvent(machineName, "Decommissioned", titleFor(u), "", r.describeDrain(u))
	u.Phase, u.DrainingSince, u.SupersededAt, u.Replicas = v1.VersionDecommissioned, nil, nil, 0
	u.Evidence, u.TrafficSource, u.Unserved, u.Stays = nil, "", false, nil
}
