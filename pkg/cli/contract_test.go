package cli_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/contract"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/replay"
	"gati.dev/gati/pkg/status"
)

// use is a run of a command.
type use struct {
	args    string
	objects status.Objects
	// form is that of internal/contract.
	form string
	// bare is true when the name has no kind: a right to one kind may be the only one
	// that counts.
	bare bool
	// isRecorded lets the last rollout have a record.
	isRecorded bool
	// measured is the address of a Prometheus that gati-webhook is configured with.
	measured string
	// watches is how many lists the command keeps up with until it is interrupted.
	watches int
	// keys are pressed in a live view, which is then left.
	keys string
}

// uses are runs of each command that together use every right that it can use.
func uses() map[string][]use {
	const handler, module = "gh/NAME", "gm/NAME"
	manual, healthy := statustest.Manual(), statustest.Healthy()
	one := func(args string, objs status.Objects) []use { return []use{{args: args, objects: objs}} }
	asking := func(path string) []use {
		return []use{{args: path + " users --yes", objects: selected()}, {args: path + " -l team=shop --yes", form: "-l", objects: selected()}}
	}
	return map[string][]use{
		"":                 nil,
		"lint":             nil,
		"convert":          nil,
		"adopt":            nil,
		"init":             nil,
		"build":            nil,
		"schemas":          nil,
		"rollout plan":     nil,
		"rollout simulate": nil,
		// test/programs/app has the Node.js for it.
		"version test-transformers": nil,
		"delete":                    one("delete gm/db --yes", healthy),
		"doctor": {
			{args: "doctor --pre", form: "--pre"},
			{args: "doctor", form: "no --pre"},
			{args: "doctor", form: "with a Prometheus", measured: "http://prometheus.monitoring.svc:9090"},
		},
		// test/cluster/install has the API server for these.
		"install":   nil,
		"upgrade":   nil,
		"uninstall": nil,

		"completion":           nil,
		"completion install":   nil,
		"completion uninstall": nil,
		"status": {
			{args: "status", form: "no NAME", objects: healthy},
			{args: "status gh/users", form: handler, objects: healthy},
			{args: "status gm/db", form: module, objects: healthy},
			{args: "status users", bare: true, objects: healthy},
			{args: "status --watch", form: "--watch, --for", objects: starting(), watches: 6},
			{args: "status gh/users --for=healthy", form: "--watch, --for", objects: starting(), watches: 5},
			{args: "status gh/users --watch", form: "--watch, --for", objects: statustest.AtStep(), keys: "pFra R"},
			{args: "status gh/users --watch", form: "--watch, --for", objects: statustest.Frozen(), keys: " "},
			{args: "status gh/users --watch", form: "--watch, --for", objects: statustest.Rejected(), keys: "t"},
		},
		"explain": {
			{args: "explain gh/users", form: handler, objects: healthy}, {args: "explain gm/db", form: module, objects: healthy},
		},
		"logs": {
			{args: "logs gh/users", form: handler, objects: statustest.Canary()}, {args: "logs gm/db", form: module, objects: healthy},
			{args: "logs gh/users -f", form: "-f", objects: statustest.Canary(), watches: 1},
		},
		"rollout": {
			{args: "rollout gh/users", form: handler, objects: starting(), watches: 5},
			{args: "rollout gm/db", form: module, objects: starting(), watches: 4},
			{args: "rollout gh/users", form: "keys, on a terminal", objects: statustest.AtStep(), keys: "pFra R"},
			{args: "rollout gh/users", form: "keys, on a terminal", objects: statustest.Frozen(), keys: " "},
			{args: "rollout gh/users", form: "keys, on a terminal", objects: statustest.Rejected(), keys: "t"},
		},
		"rollout status": {
			{args: "rollout status gh/users", form: handler, objects: starting(), watches: 5},
			{args: "rollout status gm/db", form: module, objects: starting(), watches: 4},
			{args: "rollout status", form: "no NAME", objects: starting(), watches: 6},
		},
		"rollout history":  one("rollout history users", manual),
		"rollout replay":   {{args: "rollout replay users", form: "NAME", objects: manual, isRecorded: true}},
		"rollout promote":  asking("rollout promote"),
		"rollout pause":    asking("rollout pause"),
		"rollout resume":   asking("rollout resume"),
		"rollout abort":    asking("rollout abort"),
		"rollout retry":    asking("rollout retry"),
		"rollout rollback": asking("rollout rollback"),
		"rollout restart":  asking("rollout restart"),
		"version":          {{args: "version", form: "no NAME", objects: manual}},
		"version list": {
			{args: "version list", form: "no NAME", objects: manual}, {args: "version list users", form: "HANDLER", objects: manual},
		},
		"version get":          one("version get users v2.0.0", manual),
		"version diff":         one("version diff users v1.0.0 v2.0.0", manual),
		"version scaffold":     one("version scaffold users --from v1.0.0 --to v2.0.0", manual),
		"version set-traffic":  one("version set-traffic users v2.0.0=33 --yes", manual),
		"version tag":          one("version tag users v2.0.0 blue", manual),
		"version untag":        one("version untag users v1.0.0 stable", statustest.Canary()),
		"version keep":         one("version keep users v2.0.0", manual),
		"version activate":     one("version activate users v2.0.0", inactive()),
		"version deactivate":   one("version deactivate users v2.0.0 --yes", manual),
		"version decommission": one("version decommission users v2.0.0 --yes", manual),
		"version contract":     one("version contract users --yes", statustest.Contract()),
		"diff": {
			{args: "diff -f testdata/diff-handler.yaml", form: "a GatiHandler", objects: status.Objects{Namespace: statustest.Namespace}},
			{args: "diff -f testdata/diff-module.yaml", form: "a GatiModule", objects: status.Objects{Namespace: statustest.Namespace}},
			{args: "diff -f testdata/diff-handler.yaml", form: "a GatiHandler", objects: unseen()},
			{args: "diff -f testdata/diff-module.yaml", form: "a GatiModule", objects: healthy},
			{args: "diff -f testdata/diff-version.yaml", form: "a GatiVersion", objects: unseen()},
			{args: "diff -f testdata/diff-new-version.yaml", form: "a GatiVersion", objects: unseen()},
		},
		"expand": {
			{args: "expand gh/users", form: handler, objects: healthy}, {args: "expand gm/db", form: module, objects: healthy},
			{args: "expand users", bare: true, objects: healthy},
		},
	}
}

// starting is a namespace in which nothing is at its end.
func starting() status.Objects {
	objs := statustest.Progressing()
	modules := statustest.Healthy().Modules
	for i := range modules {
		modules[i].Generation++
	}
	objs.Modules = modules
	return objs
}

// unseen is a handler that no controller has looked at, with a record.
func unseen() status.Objects {
	return status.Objects{
		Namespace: statustest.Namespace,
		Handlers:  []v1.GatiHandler{statustest.MakeHandler("users").Obj()},
		Versions:  []v1.GatiVersion{statustest.MakeRecord("users-v2-0-0", "users", "v2.0.0").Obj()},
	}
}

// inactive is Manual with a version that is out of service.
func inactive() status.Objects {
	objs := statustest.Manual()
	off := false
	for i := range objs.Versions {
		objs.Versions[i].Spec.Active = &off
	}
	return objs
}

// selected is AtStep with a handler that has a label.
func selected() status.Objects {
	objs := statustest.AtStep()
	objs.Handlers[0].Labels["team"] = "shop"
	return objs
}

// How long what follows does without a list: one that it is to do without, and one that it
// needs, for which it waits until the end.
const (
	patience     = 30 * time.Second
	lastPatience = 5 * time.Second
)

// play runs a command against a server on which rights are denied. What follows is
// interrupted once enough has happened, or nothing has for long.
func (u use) play(t *testing.T, patience time.Duration, enough func(*clitest.Server) bool, denied ...string) (*clitest.Server, clitest.Result) {
	server := clitest.NewServer(t, u.objects)
	server.Set(func(s *clitest.Server) { s.Denied, s.Patched = denied, answers })
	if u.measured != "" {
		server.Send("configmaps", "ADDED", &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "gati-system", Name: "gati-webhook"},
			Data:       map[string]string{"config.yaml": "prometheus-url: " + u.measured},
		})
		server.Send("services", "ADDED", &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "monitoring", Name: "prometheus"}})
	}
	if u.isRecorded {
		server.Send("configmaps", "ADDED", record(t, &u.objects.Handlers[0]))
	}
	if u.keys != "" {
		return server, u.press(t, server)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if u.watches > 0 {
		deadline := time.Now().Add(10 * patience)
		go func() {
			for !enough(server) && time.Now().Before(deadline) && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			cancel()
		}()
	}
	args := append(strings.Fields(u.args), "--request-timeout", patience.String())
	return server, clitest.Run(ctx, "", append(args, server.Connection()...)...)
}

// record returns the record of a rollout with one decision.
func record(t *testing.T, h *v1.GatiHandler) *corev1.ConfigMap {
	t.Helper()
	var r replay.Recorder
	in := rollout.Input{Handler: h.Name, State: rollout.State{Versions: h.Status.Versions, Rollout: h.Status.Rollout.DeepCopy()}}
	in.State.Rollout.Target = in.State.Rollout.Stable
	if _, err := r.Note("v0.1.0", in, rollout.Next(in), 1<<20); err != nil {
		t.Fatal(err)
	}
	text, err := r.Record()
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: h.Namespace, Name: naming.ReplayName(h.Name), OwnerReferences: []metav1.OwnerReference{records.OwnerOf(h)},
	}, BinaryData: map[string][]byte{replay.Key: text}}
}

// watching reports whether the command keeps up with all that it shows.
func (u use) watching(s *clitest.Server) bool {
	n := 0
	for _, right := range s.Used() {
		if strings.HasPrefix(right, "watch ") {
			n++
		}
	}
	return n >= u.watches
}

// answers handles each request as the controller would.
func answers(o client.Object) error {
	h, ok := o.(*v1.GatiHandler)
	if !ok || h.Annotations[v1.AnnotationRequest] == "" {
		return nil
	}
	r, err := request.Parse(h.Annotations[v1.AnnotationRequest])
	if err != nil {
		return err
	}
	h.Status.Rollout.Requests = append(h.Status.Rollout.Requests, v1.HandledRequest{ID: r.ID, Outcome: "done"})
	return nil
}

// TestEveryCommandHasAContract holds that internal/contract speaks of each command
// that there is, and of no other.
func TestEveryCommandHasAContract(t *testing.T) {
	root := cli.NewRoot(&env.Env{Config: genericclioptions.NewConfigFlags(true)})
	var paths []string
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() && !cmd.Hidden {
			paths = append(paths, strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), root.CommandPath())))
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	promised := contract.Commands()
	slices.Sort(paths)
	slices.Sort(promised)
	if diff := cmp.Diff(paths, promised); diff != "" {
		t.Errorf("internal/contract (-commands,+contract):\n%s", diff)
	}
	tried := slices.Sorted(maps.Keys(uses()))
	if diff := cmp.Diff(promised, tried); diff != "" {
		t.Errorf("uses (-contract,+tried):\n%s", diff)
	}
}

// TestCommandsUseTheirRights holds that each command uses the rights that its
// contract has, and no other; that it ends with an error without one that it needs;
// and does what it can without the others.
func TestCommandsUseTheirRights(t *testing.T) {
	var trials sync.WaitGroup
	asked := 0
	room := make(chan struct{}, 64) // They wait for the retries of a watch, and take no CPU meanwhile.
	for path, uses := range uses() {
		promised, _ := contract.Of(path)
		tried := map[contract.Right]bool{}
		for i, u := range uses {
			if detector.Enabled && i > 0 {
				break // Other forms of a command start the same goroutines.
			}
			server, got := u.play(t, patience, u.watching)
			if strings.Contains(got.Stderr, "error:") {
				t.Errorf("%s: %s", u.args, got.Stderr)
			}
			for _, right := range server.Used() {
				r, found := promised.Uses(right, u.form)
				if !found {
					t.Errorf("%s uses the right to %s, which its contract does not have for %q", u.args, right, u.form)
				}
				if !found || tried[r] || u.bare {
					continue
				}
				tried[r] = true
				if asked++; detector.Enabled && asked%12 != 0 {
					continue // Refusals take the same few paths through the client.
				}
				trials.Go(func() {
					room <- struct{}{}
					defer func() { <-room }()
					u.without(t, r)
				})
			}
		}
		for _, r := range promised.Rights {
			if !tried[r] && !detector.Enabled {
				t.Errorf("kubectl gati %s never uses the right to %s (%s)", path, r, r.For)
			}
		}
	}
	trials.Wait()
}

// without runs the command without a right.
func (u use) without(t *testing.T, r contract.Right) {
	wait := patience
	if r.Without == "" {
		wait = lastPatience
	}
	_, got := u.play(t, wait, func(s *clitest.Server) bool { return r.Without != "" && s.Times(r.String()) >= 3 }, r.String())
	if failed := strings.Contains(got.Stderr, "error:"); failed != (r.Without == "") {
		t.Errorf("%s without the right to %s ends with %d, and the contract says %q:\n%s", u.args, r, got.Code, r.Without, got.Stderr)
	}
}
