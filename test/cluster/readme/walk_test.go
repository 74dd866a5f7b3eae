package readme

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/screen"
)

// The size of the terminal that the README's screens are of.
const width, height = 100, 28

// walker goes through the tour in a folder that looks like a checkout after "make
// demo".
type walker struct {
	t      *testing.T
	folder string
	// set are the commands that set variables for those that follow.
	set string
	// update takes what comes into the README in place of comparing it.
	update bool
}

// walkTour goes through the tour.
func walkTour(t *testing.T) {
	t.Helper()
	w := &walker{t: t, folder: makeCheckout(t), update: flagUpdate()}
	r := loadTour(t)
	for i := 1; i < len(r.blocks); i += 2 {
		switch b := &r.blocks[i]; b.kind {
		case "console":
			list := parseCommands(b.text)
			opens := i+2 < len(r.blocks) && r.blocks[i+2].kind == "text"
			for j := range list {
				if opens && j == len(list)-1 {
					i = w.playLiveView(list[j], r.blocks, i+1)
					break
				}
				list[j].prints = w.runCommand(list[j])
			}
			b.text = formatCommands(list)
		default:
			t.Errorf("the tour has a block of the kind %q that nothing leads to:\n%s", b.kind, b.text)
		}
	}
	if w.update {
		r.saveReadme(t)
	}
}

// flagUpdate reports whether what comes is written into the README.
func flagUpdate() bool { return flag.Lookup("update").Value.String() == "true" }

// makeCheckout returns a folder with what "make demo" leaves in a checkout: the programs, the
// manifests and the cluster.
func makeCheckout(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	link := func(to, name string) {
		t.Helper()
		to, err := filepath.Abs(to)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, ".devcluster"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(filepath.Dir(env.Cluster.Tools().Plugin), "bin")
	link("../../../manifests", "manifests")
	link(filepath.Dir(env.Cluster.Kubeconfig), ".devcluster/cluster")
	return folder
}

// bashCommand is a command as a person types it who has gone through the tour so far.
func (w *walker) bashCommand(command string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", w.set+command)
	cmd.Dir = w.folder
	cmd.Env = append(os.Environ(), "KUBECACHEDIR="+filepath.Join(w.folder, "cache"))
	return cmd
}

// runCommand runs a command and holds what it prints.
func (w *walker) runCommand(c command) string {
	w.t.Helper()
	if strings.HasPrefix(c.typed, "export ") {
		w.set += c.typed
		return c.prints
	}
	began := time.Now()
	out, err := w.bashCommand(c.typed).CombinedOutput()
	w.t.Logf("$ %s%s(%s, %v)", c.typed, out, time.Since(began).Round(time.Millisecond), err)
	if got := string(out); w.update {
		return got
	} else if !areAlike(c.prints, got) {
		w.t.Errorf("$ %s(-README,+printed):\n%s", c.typed, cmp.Diff(steadyLines(c.prints), steadyLines(got)))
	}
	return c.prints
}

// playLiveView opens a live view, presses what the prose says, and holds each screen. It
// returns the last block that was a screen.
func (w *walker) playLiveView(c command, blocks []block, at int) int {
	w.t.Helper()
	s := screen.Start(w.t, width, height, w.bashCommand("exec "+c.typed))
	w.t.Logf("$ %s", c.typed)
	for ; at+1 < len(blocks) && blocks[at+1].kind == "text"; at += 2 {
		w.pressKeys(s, namedKeys(blocks[at].text))
		w.awaitScreen(s, &blocks[at+1])
	}
	w.pressKeys(s, namedKeys(blocks[at].text))
	if code := s.Ends(); code != 0 {
		w.t.Errorf("$ %sends with exit code %d", c.typed, code)
	}
	return at - 1
}

func (w *walker) pressKeys(s *screen.Session, keys []string) {
	for _, key := range keys {
		if sent, special := pressed[key]; special {
			key = sent
		}
		s.Type(key)
	}
}

// awaitScreen waits until the view is as the README has it, or, to be written down, until
// it changes no more.
func (w *walker) awaitScreen(s *screen.Session, want *block) {
	w.t.Helper()
	if w.update {
		want.text = awaitSettled(s)
	} else if got, same := s.Becomes(func(shown string) bool { return areAlike(want.text, shown) }); !same {
		w.t.Errorf("the screen is not that of the README (-README,+shown):\n%s", cmp.Diff(steadyLines(want.text), steadyLines(got)))
	}
	w.t.Logf("\n%s", frameScreen(s.Screen()))
}

// calm is for how long a screen may not change to count as settled.
const calm = 8 * time.Second

func awaitSettled(s *screen.Session) string {
	seen, since := "", time.Now()
	for deadline := time.Now().Add(await.Patience); time.Now().Before(deadline) && time.Since(since) < calm; time.Sleep(200 * time.Millisecond) {
		if now := steadyText(s.Screen()); now != seen {
			seen, since = now, time.Now()
		}
	}
	return frameScreen(s.Screen())
}
