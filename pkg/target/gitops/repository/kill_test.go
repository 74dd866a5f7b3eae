package repository_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"

	"k8s.io/utils/clock"

	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/pkg/target/gitops/repository"
)

// writerEnv has a process of this test program write changes and nothing else.
const writerEnv = "GATI_TEST_WRITER"

// job is what such a process writes.
type job struct {
	URL    string
	Access repository.Access
}

func TestMain(m *testing.M) {
	if text := os.Getenv(writerEnv); text != "" {
		if err := runWriter(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runWriter(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	r, err := repository.New(repository.Settings{
		URL: j.URL, Branch: "main", Author: repository.Author{Name: "Gati", Email: "gati@example.com"}, Clock: clock.RealClock{},
		Access: func(context.Context) (repository.Access, error) { return j.Access, nil },
	})
	if err == nil {
		_, err = r.Write(context.Background(), change("shop/users", "one"))
	}
	return err
}

// TestAKilledWriter kills a writer with SIGKILL between commit and push, and between
// push and answer: the next one makes one commit of the change, or finds it made.
func TestAKilledWriter(t *testing.T) {
	for name, tc := range map[string]struct {
		// isPushed has the server take the push before the writer is killed.
		isPushed bool
		commit   bool
	}{
		"between commit and push": {false, true},
		"between push and answer": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t)
			bare.Seed("main", "Begin", map[string]string{"README.md": "plans"})
			s := gittest.ServeHTTPS(t, bare)
			access := repository.Access{Username: s.Username, Password: s.Password, CA: s.CA()}
			text, err := json.Marshal(job{s.CloneURL(), access})
			if err != nil {
				t.Fatal(err)
			}
			writer := exec.Command(os.Args[0])
			writer.Env = append(os.Environ(), writerEnv+"="+string(text))
			pushed, killed := make(chan struct{}, 1), make(chan struct{})
			s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
				if !gittest.IsPush(r) {
					return false
				}
				if tc.isPushed {
					s.Backend.ServeHTTP(discarded{http.Header{}}, r)
				}
				pushed <- struct{}{}
				<-killed // The writer gets no answer.
				return true
			})
			if err := writer.Start(); err != nil {
				t.Fatal(err)
			}
			exited := make(chan error, 1)
			go func() { exited <- writer.Wait() }()
			select {
			case <-pushed:
				_ = writer.Process.Kill()
				close(killed)
			case err := <-exited:
				t.Fatalf("the writer ended before it pushed: %v", err)
			}
			if err := <-exited; err == nil {
				t.Fatal("the writer was not killed")
			}
			s.Intercept(nil)
			result := write(t, place{bare, s.CloneURL(), access}.open(t), change("shop/users", "one"))
			if (result.Commit != "") != tc.commit {
				t.Errorf("the next writer: %+v", result)
			}
			if got := bare.Log("main"); !slices.Equal(got, []string{"Begin", "shop/users: one"}) {
				t.Errorf("the history is %q", got)
			}
			bare.CheckLinear("main")
		})
	}
}

// discarded is an answer that nobody receives.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d discarded) WriteHeader(int)             {}
