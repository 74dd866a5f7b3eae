package status_test

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

func TestBuildGolden(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		t.Run(name, func(t *testing.T) {
			s := status.Build(objs, statustest.Now)
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			if err := enc.Encode(s); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, name+".json", got.String())
		})
	}
}

// TestBuildOrder holds that the order of the lists does not show.
func TestBuildOrder(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for name, objs := range statustest.Scenarios() {
		t.Run(name, func(t *testing.T) {
			want := status.Build(objs, statustest.Now)
			for range 20 {
				shuffle(random, objs.Handlers)
				shuffle(random, objs.Modules)
				shuffle(random, objs.Versions)
				shuffle(random, objs.Deployments)
				shuffle(random, objs.Pods)
				shuffle(random, objs.Unread)
				if diff := cmp.Diff(want, status.Build(objs, statustest.Now)); diff != "" {
					t.Fatalf("(-want,+got):\n%s", diff)
				}
			}
		})
	}
}

func shuffle[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// TestBuildEmpty holds that nothing at all is still a snapshot, with lists that
// a JSON reader need not check for null.
func TestBuildEmpty(t *testing.T) {
	data, err := json.Marshal(status.Build(status.Objects{}, statustest.Now))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"cli.gati.dev/v1","kind":"Status","time":"2026-11-20T12:00:00Z","handlers":[],"modules":[]}`
	if string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
}
