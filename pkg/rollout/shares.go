package rollout

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

// MaxShares is how many versions share the traffic at most: a rule of an HTTPRoute
// has 16 backends, and a route with more is refused.
const MaxShares = 16

// shares has the shares of the traffic that records request, under the strategy Manual.
type shares struct {
	contracts
	traffic traffic
	// prepared has the shares that each unit is prepared for.
	prepared weights
	// crowd counts the versions that request a share, where a route has no room for
	// all of them.
	crowd int
	// requested is the sum of the percents that the records request; 0 where they
	// request none.
	requested int32
}

// recordedWeights returns the weights that the records request in percent. A version
// without a share takes the rest. Where the records request nothing, the weights stay.
func (s *shares) recordedWeights() weights {
	s.crowd, s.requested = 0, 0
	if p := s.ro.Pinned; p != nil {
		if u := s.findTemplate(p.Version, p.RevisionNumber); u != nil && !s.recordFor(u).Inactive {
			reviveUnit(u)
			return allTo(u)
		}
	}
	asked, sum, isSet := s.requestedShares()
	if rest := s.findRestTaker(); isSet && rest != nil && sum < 100 {
		asked[rest] = 100 - sum
		sum = 100
	}
	if len(asked) > MaxShares && s.policy.Gateway {
		s.crowd = len(asked)
		return s.keptWeights()
	}
	if sum == 0 {
		return s.keptWeights()
	}
	s.requested = sum
	return s.toPercent(asked, sum)
}

// requestedShares returns the shares above zero that records request, their sum, and
// whether any record requests a share, zero included.
func (s *shares) requestedShares() (asked weights, sum int32, isSet bool) {
	asked = weights{}
	for _, u := range s.units {
		t := s.recordFor(u).Traffic
		if t == nil || s.servingUnit(u.Version) != u || s.findShareBar(u) != "" {
			continue
		}
		isSet = true
		if *t > 0 {
			asked[u] = *t
			sum += *t
		}
	}
	return asked, sum, isSet
}

// findRestTaker returns the version that takes the rest of the traffic: the stable one if
// its record requests no share, else the one without a share that has most traffic.
func (s *shares) findRestTaker() *unit {
	var best *unit
	var most int32
	for _, u := range s.units {
		stable := s.servingUnit(u.Version) == u && s.ro.Stable != nil && u.Version == s.ro.Stable.Version
		switch r := s.recordFor(u); {
		case s.servingUnit(u.Version) != u, r.Traffic != nil, r.Inactive:
			continue
		case stable:
			return u
		case s.findShareBar(u) != "":
			continue
		}
		if w := s.versionWeight(u.Version); w > most {
			best, most = u, w
		}
	}
	return best
}

// noteUnmetShares names the versions whose records request a share that they cannot have.
func (s *shares) noteUnmetShares() {
	if s.ro.Pinned != nil {
		return
	}
	for _, u := range s.units {
		if t := s.recordFor(u).Traffic; t == nil || *t == 0 || s.servingUnit(u.Version) != u {
			continue
		}
		if why := s.findShareBar(u); why != "" {
			s.addNote("%s requests %d %% and gets none: %s.", titleFor(u), *s.recordFor(u).Traffic, why)
		}
	}
}

// keptWeights returns the weights as they are, those of versions that must have none
// given to the stable one.
func (s *shares) keptWeights() weights {
	out := weights{}
	stable := s.servingUnit(s.findUnit(s.ro.Stable).Version)
	if stable == nil {
		stable = s.findUnit(s.ro.Stable)
	}
	for _, u := range s.units {
		to := s.servingUnit(u.Version)
		if to == nil || !s.isUnit(to, s.ro.Stable) && s.findBar(to) != "" {
			to = stable
		}
		out[to] += u.Weight
	}
	return out
}

// toPercent scales shares to 100 in all: whole numbers, the largest remainders first,
// the older of equals.
func (s *shares) toPercent(asked weights, sum int32) weights {
	out, left := weights{}, int32(100)
	var order []*unit
	for _, u := range s.units {
		if asked[u] > 0 {
			out[u] = asked[u] * 100 / sum
			left -= out[u]
			order = append(order, u)
		}
	}
	slices.SortStableFunc(order, func(a, b *unit) int { return int(asked[b]*100%sum - asked[a]*100%sum) })
	for _, u := range order[:left] {
		out[u]++
	}
	return out
}

// describeShares names the users who requested the weights.
func (s *shares) describeShares() string {
	if s.ro.Pinned != nil {
		return "requested by the rollback by " + s.ro.Pinned.By
	}
	if s.requested != 100 && s.requested > 0 {
		return fmt.Sprintf("requested by the version records (%d %% in all, scaled to 100 %%)", s.requested)
	}
	return "requested by the version records"
}

// reportCrowd stalls where a route has no room for all who request a share.
func (s *shares) reportCrowd() {
	if s.crowd > 0 {
		s.stalled = true
		s.waitFor(waitFor(v1.WaitingForShares, "%d versions request traffic, an HTTPRoute divides it among %d at most: %s stay until fewer do; take the share of one away: %s",
			s.crowd, MaxShares, s.traffic.weightsLine(), remedy.SetTraffic.For(s.handler, s.declared.Version, "0")))
	}
}
