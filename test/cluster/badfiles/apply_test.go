package badfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/terminal"
)

const (
	// home is where most files are applied. Its image is there for those that
	// name none, as it is another file's fault to have none.
	home  = "home"
	image = "gati.dev/image=registry.example.com/app:v1.0.0"
	// bare is a namespace that knows no image.
	bare = "bare"
	// atOnce is how many kubectl run side by side: each waits half of its time.
	atOnce = 4
)

// transcript has the commands for a file and kubectl's answers.
type transcript struct {
	text string
	// stored is true when kubectl has found nothing wrong.
	stored bool
}

// session is one way through the files.
type session struct {
	t      *testing.T
	folder string
	files  []file
}

// made and prepared report whether the namespaces are there, and that what files need
// is in them. What is refused leaves nothing behind, so the next test finds the same.
var made, prepared bool

// makeNamespaces makes those that files are applied in.
func makeNamespaces(t *testing.T) {
	t.Helper()
	if !made {
		env.Namespace(t, home, image)
		env.Namespace(t, bare)
		made = true
	}
}

// openSession makes the namespaces and stores what files need.
func openSession(t *testing.T) session {
	t.Helper()
	s := session{t: t, folder: t.TempDir(), files: loadFiles(t)}
	makeNamespaces(t)
	if prepared {
		return s
	}
	prepared = true
	s.forEachFile(func(f file) {
		if f.setup == "" {
			return
		}
		if out, ok := s.applyText(f, f.name+".setup.yaml", f.setup); !ok {
			t.Errorf("%s.setup.yaml is not taken:\n%s", f.name, out)
		}
		if strings.Contains(f.setup, "\nstatus:") {
			args := []string{"apply", "--server-side", "--force-conflicts", "--subresource=status", "-n", f.namespaceOr(home), "-f", f.name + ".setup.yaml"}
			if out, ok := env.Kubectl(t.Context(), s.folder, args...); !ok {
				t.Errorf("the status of %s.setup.yaml is not taken:\n%s", f.name, out)
			}
		}
	})
	return s
}

// forEachFile does something with all files, a few at a time.
func (s session) forEachFile(do func(file)) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, f := range s.files {
		group.Go(func() error {
			do(f)
			return nil
		})
	}
	_ = group.Wait()
}

// chooseFiles keeps the files that a test is about.
func (s *session) chooseFiles(chosen func() bool, isMeant func(file) bool) {
	s.files = slices.DeleteFunc(slices.Clone(s.files), func(f file) bool { return !isMeant(f) || !chosen() })
}

// oneIn returns of how many files the short form applies one.
func oneIn() int {
	if terminal.Updates() {
		return 1
	}
	return 4
}

// applyText applies a text under a name of a file and returns what kubectl printed.
func (s session) applyText(f file, name, text string) (string, bool) {
	if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600); err != nil {
		s.t.Error(err)
		return "", false
	}
	out, ok := env.Kubectl(s.t.Context(), s.folder, "apply", "-n", f.namespaceOr(home), "-f", name)
	return tidyOutput(out), ok
}

// applyAll applies the documents of a file that are of a version, all of them when
// the version is empty.
func (s session) applyAll(f file, version string) transcript {
	var out transcript
	for _, d := range f.documents {
		if version != "" && d.version != version {
			continue
		}
		name := fmt.Sprintf("%s.%s.yaml", f.name, d.version)
		answer, taken := s.applyText(f, name, d.text)
		out.text += "$ kubectl apply -f " + name + "\n" + answer
		out.stored = out.stored || taken
	}
	return out
}

// TestApplyOfBadFiles holds what kubectl prints for each file. The short form applies
// every fourth file, "make soak NAME=applyOfBadFiles" all. Other tests compare lint and
// conditions with what was printed for every file.
func TestApplyOfBadFiles(t *testing.T) {
	s := openSession(t)
	s.chooseFiles(soak.Share(t, "applyOfBadFiles", oneIn()), func(file) bool { return true })
	s.forEachFile(func(f file) {
		got := s.applyAll(f, "")
		if got.stored {
			t.Errorf("%s is taken:\n%s", f.name, got.text)
		}
		terminal.Golden(t, "testdata/"+f.name+".golden", got.text)
	})
}

// TestApplyWithoutWebhook holds what the CRDs alone say: gati-webhook is stopped,
// so there is no conversion and only v1 can be written. The short form applies one file
// in four; "make soak NAME=applyWithoutWebhook" all.
func TestApplyWithoutWebhook(t *testing.T) {
	s := openSession(t)
	if err := env.Webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := env.Webhook.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}()
	s.chooseFiles(soak.Share(t, "applyWithoutWebhook", oneIn()), func(f file) bool { return f.documentFor("v1") != nil })
	s.forEachFile(func(f file) {
		got := s.applyAll(f, "v1")
		if got.stored {
			t.Errorf("%s is taken:\n%s", f.name, got.text)
		}
		terminal.Golden(t, "testdata/down/"+f.name+".golden", got.text)
	})
}

var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// tidyOutput replaces differences without meaning: ports, the order of faults,
// which the API server takes from a Go map, and very long values.
func tidyOutput(out string) string {
	lines := strings.SplitAfter(port.ReplaceAllString(shortenText(out), "127.0.0.1:PORT"), "\n")
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && strings.HasPrefix(lines[to], "* ") {
			to++
		}
		slices.Sort(lines[from:to])
		from = max(from, to-1)
	}
	return strings.Join(lines, "")
}

// shortenText writes more than 40 times the same character in a row as their number.
func shortenText(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		n := 1
		for i+n < len(text) && text[i+n] == text[i] {
			n++
		}
		if n > 40 {
			fmt.Fprintf(&out, "%c…(%d times)", text[i], n)
		} else {
			out.WriteString(text[i : i+n])
		}
		i += n
	}
	return out.String()
}
