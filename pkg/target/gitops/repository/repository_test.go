package repository_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/target/gitops/repository"
)

// place is a repository as one transport reaches it.
type place struct {
	bare   *gittest.Bare
	url    string
	access repository.Access
}

// places serve a new bare repository each.
var places = map[string]func(*testing.T) place{
	"https": func(t *testing.T) place {
		bare := gittest.NewBare(t)
		s := gittest.ServeHTTPS(t, bare)
		return place{bare, s.CloneURL(), repository.Access{Username: s.Username, Password: s.Password, CA: s.CA()}}
	},
	"ssh": func(t *testing.T) place {
		bare := gittest.NewBare(t)
		s := gittest.ServeSSH(t, bare)
		return place{bare, s.CloneURL(), repository.Access{Identity: s.Identity, KnownHosts: s.KnownHosts()}}
	},
	"file": func(t *testing.T) place {
		bare := gittest.NewBare(t)
		return place{bare: bare, url: bare.URL()}
	},
}

// onEach runs a test with each transport.
func onEach(t *testing.T, test func(*testing.T, place)) {
	for name, at := range places {
		t.Run(name, func(t *testing.T) { test(t, at(t)) })
	}
}

func (p place) open(t *testing.T) *repository.Repository { return p.openAt(t, clock.RealClock{}) }

func (p place) openAt(t *testing.T, c clock.PassiveClock) *repository.Repository {
	t.Helper()
	r, err := repository.New(repository.Settings{
		URL: p.url, Branch: "main", Author: repository.Author{Name: "Gati", Email: "gati@example.com"},
		Access: func(context.Context) (repository.Access, error) { return p.access, nil }, Clock: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// change returns one with a file of some text.
func change(folder, text string) repository.Change {
	return repository.Change{
		Folder: folder, Message: folder + ": " + text,
		Files: map[string][]byte{"a.yaml": []byte(text), repository.Marker: []byte("plan: " + text)},
	}
}

func write(t *testing.T, r *repository.Repository, c repository.Change) repository.Result {
	t.Helper()
	result, err := r.Write(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestAFolderIsWrittenChangedAndRemoved holds a commit for each change, and none
// where nothing changes; others' files stay.
func TestAFolderIsWrittenChangedAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		p.bare.Seed("main", "Begin", map[string]string{"README.md": "plans", "shop/other/b.yaml": "b"})
		r := p.open(t)
		first := write(t, r, change("shop/users", "one"))
		if again := write(t, p.open(t), change("shop/users", "one")); first.Commit == "" || again.Commit != "" || again.Head != first.Head {
			t.Errorf("written as %+v, and again as %+v", first, again)
		}
		write(t, r, change("shop/users", "two"))
		if got := p.bare.Git("show", "main:shop/users/a.yaml"); got != "two" {
			t.Errorf("the file holds %q", got)
		}
		write(t, r, repository.Change{Folder: "shop/users", Message: "shop/users: removed"})
		if gone := write(t, r, repository.Change{Folder: "shop/users", Message: "shop/users: removed"}); gone.Commit != "" {
			t.Errorf("what is gone was removed again: %+v", gone)
		}
		if got, want := p.bare.Git("ls-tree", "-r", "--name-only", "main"), "README.md\nshop/other/b.yaml\n"; got != want {
			t.Errorf("the branch has\n%s", got)
		}
		want := []string{"Begin", "shop/users: one", "shop/users: two", "shop/users: removed"}
		if got := p.bare.Log("main"); !slices.Equal(got, want) {
			t.Errorf("the history is %q", got)
		}
		if who := p.bare.Git("log", "-1", "--format=%an <%ae> %cn", "main"); who != "Gati <gati@example.com> Gati\n" {
			t.Errorf("the commit is by %s", who)
		}
		p.bare.CheckLinear("main")
	})
}

// TestAnEmptyRepository holds that the first commit makes the branch.
func TestAnEmptyRepository(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		write(t, p.open(t), change("shop/users", "one"))
		write(t, p.open(t), change("shop/orders", "two"))
		if got := p.bare.Log("main"); len(got) != 2 {
			t.Errorf("the history is %q", got)
		}
		p.bare.CheckLinear("main")
	})
}

// TestTwoWritersRace holds that each change of two writers lands once, on a linear
// history. The short form has 20 changes with each transport, the long form 100.
func TestTwoWritersRace(t *testing.T) {
	changes := 10
	if soak.IsLong("twoWritersRace") {
		changes = 50
	}
	onEach(t, func(t *testing.T, p place) {
		p.bare.Seed("main", "Begin", map[string]string{"README.md": "plans"})
		var writers sync.WaitGroup
		for writer := range 2 {
			r := p.open(t)
			writers.Go(func() {
				for i := range changes {
					if _, err := r.Write(t.Context(), change(fmt.Sprintf("shop/w%d-%d", writer, i), "one")); err != nil {
						t.Errorf("change %d of writer %d: %v", i, writer, err)
					}
				}
			})
		}
		writers.Wait()
		log := p.bare.Log("main")
		slices.Sort(log)
		if distinct := len(slices.Compact(slices.Clone(log))); len(log) != 2*changes+1 || distinct != len(log) {
			t.Errorf("the history has %d commits, %d of them distinct", len(log), distinct)
		}
		p.bare.CheckLinear("main")
	})
}

// TestWaitingChangesShareAPush holds that many changes at once need few pushes, and
// have a commit each.
func TestWaitingChangesShareAPush(t *testing.T) {
	const changes = 40
	bare := gittest.NewBare(t)
	s := gittest.ServeHTTPS(t, bare)
	var pushes int
	var mu sync.Mutex
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if gittest.IsPush(r) {
			pushes++
		}
		return false
	})
	p := place{bare, s.CloneURL(), repository.Access{Username: s.Username, Password: s.Password, CA: s.CA()}}
	r := p.open(t)
	var all sync.WaitGroup
	for i := range changes {
		all.Go(func() {
			if _, err := r.Write(t.Context(), change(fmt.Sprintf("shop/u%d", i), "one")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := len(bare.Log("main")); got != changes || pushes > changes/4 {
		t.Errorf("%d commits by %d pushes", got, pushes)
	}
	t.Logf("%d changes by %d pushes", changes, pushes)
}

// TestEditsOfOthersStay holds that what others changed in a folder of ours is named and
// left, until the plan changes; a folder without our marker is never taken.
func TestEditsOfOthersStay(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		write(t, p.open(t), change("shop/users", "one"))
		p.bare.Seed("main", "By hand", map[string]string{"shop/users/a.yaml": "edited", "shop/users/more.yaml": "more", "shop/mine/x": "x", "shop/file": "x"})
		got := write(t, p.open(t), change("shop/users", "one"))
		if !slices.Equal(got.Edited, []string{"a.yaml", "more.yaml"}) || got.Commit != "" {
			t.Errorf("the result is %+v", got)
		}
		if got := write(t, p.open(t), change("shop/users", "two")); len(got.Edited) > 0 || got.Commit == "" {
			t.Errorf("a new plan has the result %+v", got)
		}
		for _, folder := range []string{"shop/mine", "shop/file", "shop/file/below"} {
			_, err := p.open(t).Write(t.Context(), change(folder, "one"))
			if got := (*repository.Error)(nil); !errors.As(err, &got) || got.Reason != v1.ReasonFolderTaken {
				t.Errorf("%s: %v", folder, err)
			}
		}
		if got := p.bare.Git("show", "main:shop/mine/x"); got != "x" {
			t.Errorf("the file of others holds %q", got)
		}
	})
}

// TestAFaultOfOneChangeIsItsOwn holds that the others of a batch land.
func TestAFaultOfOneChangeIsItsOwn(t *testing.T) {
	p := places["file"](t)
	p.bare.Seed("main", "Begin", map[string]string{"shop/mine/x": "x"})
	r := p.open(t)
	if _, err := r.Write(t.Context(), change("shop/mine", "one")); err == nil {
		t.Error("the folder of others was written")
	}
	if result, err := r.Write(t.Context(), change("shop/users", "one")); err != nil || result.Commit == "" {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestARefusedPushIsMadeAgain holds that the next push has what the refused one lost.
func TestARefusedPushIsMadeAgain(t *testing.T) {
	for _, name := range []string{"https", "ssh"} {
		t.Run(name, func(t *testing.T) {
			p, now := places[name](t), clocktesting.NewFakePassiveClock(time.Now())
			r := p.openAt(t, now)
			write(t, r, change("shop/users", "one"))
			hook(t, p.bare, "main is frozen")
			if _, err := r.Write(t.Context(), change("shop/users", "two")); err == nil {
				t.Fatal("the push was not refused")
			}
			if err := os.Remove(filepath.Join(p.bare.Path, "hooks", "pre-receive")); err != nil {
				t.Fatal(err)
			}
			now.SetTime(now.Now().Add(r.RetryAfter()))
			write(t, r, change("shop/users", "two"))
			if got := p.bare.Git("show", "main:shop/users/a.yaml"); got != "two" {
				t.Errorf("the branch has %q", got)
			}
		})
	}
}

// TestAFailureIsNotRepeatedAtOnce holds the delays of a repository that is down.
func TestAFailureIsNotRepeatedAtOnce(t *testing.T) {
	now := clocktesting.NewFakePassiveClock(time.Now())
	p := place{url: "file://" + filepath.Join(t.TempDir(), "none.git")}
	r := p.openAt(t, now)
	asked := 0
	fail := func() {
		t.Helper()
		asked++
		_, err := r.Write(t.Context(), change("shop/users", fmt.Sprint(asked)))
		if got := (*repository.Error)(nil); !errors.As(err, &got) || got.Reason != v1.ReasonRepositoryMissing {
			t.Fatalf("the error is %v", err)
		}
	}
	fail()
	delay := r.RetryAfter()
	fail()
	if again := r.RetryAfter(); delay != 5*time.Second || again != delay {
		t.Errorf("the delay is %s, then %s: the second write reached the repository", delay, again)
	}
	for range 10 {
		now.SetTime(now.Now().Add(r.RetryAfter()))
		fail()
	}
	if delay := r.RetryAfter(); delay != 2*time.Minute {
		t.Errorf("the delay has become %s", delay)
	}
	if err := os.Rename(gittest.NewBare(t).Path, strings.TrimPrefix(p.url, "file://")); err != nil {
		t.Fatal(err)
	}
	now.SetTime(now.Now().Add(r.RetryAfter()))
	write(t, r, change("shop/users", "one"))
	if delay := r.RetryAfter(); delay != 0 {
		t.Errorf("a repository that answers is tried again after %s", delay)
	}
}
