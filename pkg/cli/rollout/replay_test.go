package rollout_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	machine "gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/replay"
	"gati.dev/gati/pkg/rollout/simulate"
)

// recorded returns the record of a canary, decided by a machine, from its decision from on.
func recorded(t *testing.T, from int, release string, fault float64, next replay.Machine) *corev1.ConfigMap {
	t.Helper()
	var r replay.Recorder
	var out []byte
	decisions := 0
	l, err := rollouttest.NewCanary(func(in machine.Input) machine.Decision {
		d := machine.Next(in)
		if decisions++; decisions > from {
			isOver, err := r.Note(release, in, next(in), replay.MaxSize)
			if err == nil && isOver {
				out, err = r.Record()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return d
	}, rollouttest.Load{
		PerSecond: 20, Pods: 2, Bad: map[string]float64{"v2-r1": fault}, Traffic: simulate.Drawn(rand.New(rand.NewPCG(1, 1))),
	}, v1.RolloutStep{Weight: 10, Pause: "1m"}, v1.RolloutStep{Weight: 50, Pause: "1m"}, v1.RolloutStep{Weight: 100})
	if err != nil {
		t.Fatal(err)
	}
	for range 120 {
		if err := l.LookFor(10 * time.Second); err != nil {
			t.Fatal(err)
		}
		if out != nil {
			return &corev1.ConfigMap{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
				ObjectMeta: metav1.ObjectMeta{Namespace: statustest.Namespace, Name: "handler-users-replay"},
				BinaryData: map[string][]byte{replay.Key: out},
			}
		}
	}
	t.Fatal("the rollout does not end")
	return nil
}

func asYAML(t *testing.T, of any) string {
	t.Helper()
	text, err := yaml.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withFault decides as a machine that rolls back too late, and has another sentence.
func withFault(in machine.Input) machine.Decision {
	d := machine.Next(in)
	if ro := d.Rollout; ro != nil && ro.Phase == v1.RolloutRollingBack {
		ro.Phase, d.Reason = v1.RolloutProgressing, "Nothing is wrong."
	}
	return d
}

// TestReplay holds what replay prints of a record from a file.
func TestReplay(t *testing.T) {
	for name, tc := range map[string]struct {
		record *corev1.ConfigMap
		args   string
		code   int
	}{
		"replay":          {recorded(t, 0, "v0.1.0", 0.1, machine.Next), "", exit.OK},
		"replay-promoted": {recorded(t, 0, "v0.1.0", 0, machine.Next), "", exit.OK},
		"replay-differs":  {recorded(t, 0, "v0.1.0", 0.1, withFault), "", exit.Unhealthy},
		"replay-defect":   {recorded(t, 0, "development", 0.1, withFault), "-o jsonpath={.kind}:{.handler}:{.releases}:{.decisions[8].differs}", exit.Unhealthy},
		"replay-late":     {recorded(t, 12, "v0.1.0", 0.1, machine.Next), "", exit.OK},
	} {
		got := clitest.Run(t.Context(), asYAML(t, tc.record), append([]string{"rollout", "replay", "-f", "-"}, strings.Fields(tc.args)...)...)
		if got.Code != tc.code {
			t.Errorf("%s: exit code %d", name, got.Code)
		}
		golden.Compare(t, name+".txt", got.Stdout+got.Stderr)
	}
}

// TestReplayOfTheCluster holds that the record of a handler is read, and none that is another's.
func TestReplayOfTheCluster(t *testing.T) {
	objs := statustest.Healthy()
	for name, tc := range map[string]struct {
		args  []string
		owner string
		want  string
		code  int
	}{
		"its own":     {[]string{"users"}, "own", "decisions of release v0.1.0", exit.OK},
		"with a kind": {[]string{"gh/users"}, "own", "decisions of release v0.1.0", exit.OK},
		"another's":   {[]string{"users"}, "another", "ConfigMap handler-users-replay is not a record of gh/users: it has another owner", exit.Error},
		"none":        {[]string{"users"}, "", "no rollout of gh/users is recorded: a record is written when a rollout ends", exit.Error},
		"no handler":  {[]string{"absent"}, "own", `"absent" not found`, exit.Error},
		"a module":    {[]string{"gm/db"}, "own", "gm/db", exit.Usage},
		"nothing":     {nil, "own", "name a handler, or a file with -f", exit.Usage},
		"both":        {[]string{"users", "-f", "-"}, "own", "name a handler, or a file with -f", exit.Usage},
		"no file":     {[]string{"-f", "nothing.yaml"}, "own", "nothing.yaml", exit.Error},
		"no record":   {[]string{"-f", "-"}, "own", "standard input is no ConfigMap with the key decisions.jsonl.gz", exit.Error},
	} {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, objs)
			if tc.owner != "" {
				record := recorded(t, 0, "v0.1.0", 0.1, machine.Next)
				owner := objs.Handlers[0].DeepCopy()
				if tc.owner == "another" {
					owner.UID = "another"
				}
				record.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1.GroupVersion.WithKind("GatiHandler"))}
				server.Send("configmaps", "ADDED", record)
			}
			got := clitest.Run(t.Context(), "kind: List", append(append([]string{"rollout", "replay"}, tc.args...), server.Connection()...)...)
			if got.Code != tc.code || !strings.Contains(got.Stdout+got.Stderr, tc.want) {
				t.Errorf("%+v, want %d: %s", got, tc.code, tc.want)
			}
		})
	}
}
