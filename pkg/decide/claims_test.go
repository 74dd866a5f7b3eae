package decide_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/decide"
)

var dawn = time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)

// accepts returns a status with claims and the hours since dawn of their acceptance.
func accepts(claims map[string]int) *v1.RouteStatus {
	out := &v1.RouteStatus{}
	for _, claim := range []string{"a", "b", "c"} {
		if hour, has := claims[claim]; has {
			out.Claims = append(out.Claims, v1.ClaimStatus{Claim: claim, Since: metav1.NewTime(dawn.Add(time.Duration(hour) * time.Hour))})
		}
	}
	return out
}

// A claim dates from its first acceptance, not from that of its handler or route.
func TestDateClaims(t *testing.T) {
	const nowHour = 9
	yes := func(claim string) decide.LiveClaim {
		return decide.LiveClaim{Claim: claim, Accepted: true, At: dawn.Add(time.Hour)}
	}
	no, unanswered := decide.LiveClaim{Claim: "a", Refused: true}, decide.LiveClaim{Claim: "a"}
	tests := map[string]struct {
		before *v1.RouteStatus
		live   []decide.LiveClaim
		want   *v1.RouteStatus
	}{
		"no route":                                  {accepts(map[string]int{"a": 1}), nil, nil},
		"not answered yet":                          {nil, []decide.LiveClaim{unanswered}, nil},
		"accepted before anything was recorded":     {nil, []decide.LiveClaim{yes("a")}, accepts(map[string]int{"a": 1})},
		"recorded":                                  {accepts(map[string]int{"a": 3}), []decide.LiveClaim{yes("a")}, accepts(map[string]int{"a": 3})},
		"added to an old route":                     {accepts(map[string]int{"a": 3}), []decide.LiveClaim{yes("a"), yes("b")}, accepts(map[string]int{"a": 3, "b": nowHour})},
		"in the place of another":                   {accepts(map[string]int{"a": 3}), []decide.LiveClaim{yes("b")}, accepts(map[string]int{"b": nowHour})},
		"added where the last one is gone":          {accepts(nil), []decide.LiveClaim{yes("b")}, accepts(map[string]int{"b": nowHour})},
		"in the place of another, not answered yet": {accepts(map[string]int{"b": 3}), []decide.LiveClaim{unanswered}, accepts(nil)},
		"the answer is missing again":               {accepts(map[string]int{"a": 3}), []decide.LiveClaim{unanswered}, accepts(map[string]int{"a": 3})},
		"refused":                                   {accepts(map[string]int{"a": 3}), []decide.LiveClaim{no}, accepts(nil)},
		"twice in one route":                        {accepts(map[string]int{"a": 3}), []decide.LiveClaim{yes("a"), yes("a")}, accepts(map[string]int{"a": 3})},
		"one of two is refused":                     {accepts(map[string]int{"a": 3, "b": 4}), []decide.LiveClaim{no, yes("b")}, accepts(map[string]int{"b": 4})},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide.DateClaims(tc.before, tc.live, dawn.Add(nowHour*time.Hour))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A status has room for the API's limit of claims.
func TestDateClaimsIsBounded(t *testing.T) {
	var live []decide.LiveClaim
	for i := range 300 {
		live = append(live, decide.LiveClaim{Claim: string(rune('a' + i)), Accepted: true})
	}
	if got := decide.DateClaims(nil, live, dawn); len(got.Claims) != 128 {
		t.Errorf("%d claims, want 128", len(got.Claims))
	}
}

// Only accepted claims count, only within a namespace, and the first acceptance wins
// whatever the age of the handlers is.
func TestFindRival(t *testing.T) {
	claimant := func(ns, name string, age time.Duration, claims map[string]int) v1.GatiHandler {
		h := builders.MakeHandler(name).Namespace(ns).Obj()
		h.CreationTimestamp = metav1.NewTime(dawn.Add(-age))
		h.Status.Route = accepts(claims)
		return *h
	}
	going := claimant("shop", "rival", 0, map[string]int{"a": 1})
	going.DeletionTimestamp = &metav1.Time{Time: dawn}
	mine := map[string]int{"a": 3}
	tests := map[string]struct {
		mine  map[string]int
		rival v1.GatiHandler

		want, wantAbroad bool
	}{
		"accepted first":                       {mine, claimant("shop", "rival", 0, map[string]int{"a": 1}), true, false},
		"accepted, and mine not yet":           {nil, claimant("shop", "rival", 0, map[string]int{"a": 9}), true, false},
		"older, accepted later":                {mine, claimant("shop", "rival", 48*time.Hour, map[string]int{"a": 9}), false, false},
		"older, without an accepted claim":     {mine, claimant("shop", "rival", 48*time.Hour, nil), false, false},
		"older, accepted for another claim":    {mine, claimant("shop", "rival", 48*time.Hour, map[string]int{"b": 1}), false, false},
		"neither is accepted":                  {nil, claimant("shop", "rival", 48*time.Hour, nil), false, false},
		"at one time, the older":               {mine, claimant("shop", "rival", 48*time.Hour, mine), true, false},
		"at one time, the younger":             {mine, claimant("shop", "rival", 0, mine), false, false},
		"being deleted":                        {mine, going, false, false},
		"itself":                               {mine, claimant("shop", "users", 24*time.Hour, map[string]int{"a": 1}), false, false},
		"abroad":                               {mine, claimant("other", "rival", 48*time.Hour, map[string]int{"a": 1}), false, true},
		"abroad, later":                        {mine, claimant("other", "rival", 48*time.Hour, map[string]int{"a": 9}), false, true},
		"abroad, not accepted":                 {mine, claimant("other", "rival", 48*time.Hour, nil), false, false},
		"abroad, and not accepted of this one": {nil, claimant("other", "rival", 48*time.Hour, map[string]int{"a": 1}), false, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := claimant("shop", "users", 24*time.Hour, nil)
			own, claimants := accepts(tc.mine), []v1.GatiHandler{h, tc.rival}
			if got := decide.FindRival(&h, own, "a", claimants); (got != nil) != tc.want {
				t.Errorf("rival %v, want %v", got, tc.want)
			}
			if got := decide.IsContestedAbroad(&h, own, "a", claimants); got != tc.wantAbroad {
				t.Errorf("contested abroad: %v, want %v", got, tc.wantAbroad)
			}
		})
	}
}
