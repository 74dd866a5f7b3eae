package tui

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/statustest"
)

// TestFitColumns holds that the widest column pays, and that nothing is narrowed without need.
func TestFitColumns(t *testing.T) {
	for _, tc := range []struct {
		widths []int
		room   int
		want   []int
	}{
		{[]int{10, 5}, 20, []int{10, 5}},
		{[]int{60, 5, 5}, 40, []int{30, 5, 5}},
		{[]int{60, 50, 5}, 55, []int{25, 25, 5}},
		{[]int{30, 30}, 59, []int{29, 30}},
		{[]int{29, 9, 9}, 5, []int{20, 9, 9}},
		{nil, 5, nil},
	} {
		got := slices.Clone(tc.widths)
		fitColumns(got, tc.room)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%v in %d: %v, want %v", tc.widths, tc.room, got, tc.want)
		}
	}
	for range 1000 {
		widths := make([]int, rand.IntN(8))
		for i := range widths {
			widths[i] = rand.IntN(100)
		}
		before, room := slices.Clone(widths), rand.IntN(200)
		fitColumns(widths, room)
		for i, w := range widths {
			if w > before[i] || w < min(before[i], minColumn) {
				t.Fatalf("%v in %d: %v", before, room, widths)
			}
		}
	}
}

// TestALongNameHidesNothing holds that health, version, ready pods and age of each row stay on
// the screen, and the beginning of its reason, whatever the length of a name.
func TestALongNameHidesNothing(t *testing.T) {
	long := strings.Repeat("long-", 12) + "name"
	objs := twoTeams()
	objs.Handlers = append(objs.Handlers, statustest.MakeHandler(long).Obj())
	for _, width := range []int{80, 100, 200} {
		got := plain(sized(list(objs, willing()), width, 30))
		for _, cells := range []string{
			`gh/orders +. Failed +v1\.0\.0 +0/0 +10m +Service`, `gh/users +. Degraded +v1\.0\.0 +0/3 +10m +0 of 3`,
			`gh/carts +. Progressing +v1\.0\.0 +0/0 +10m +not`, `gh/long-[^ ]+ +. Progressing +v1\.0\.0 +0/0 +10m +not`,
		} {
			if !regexp.MustCompile(cells).MatchString(got) {
				t.Errorf("in %d columns there is no %q:\n%s", width, cells, got)
			}
		}
		if isWhole := strings.Contains(got, long); isWhole != (width == 200) {
			t.Errorf("in %d columns the name is whole: %v", width, isWhole)
		}
	}
}
