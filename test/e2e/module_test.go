package e2e

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/sampleapp"
	"gati.dev/gati/internal/testing/builders"
)

// aModule is the sample's module. It is Ready when the sentence ends.
func (g given) aModule(name string, changes ...func(*v1.GatiModuleSpec)) {
	g.t.Helper()
	g.gatiIsInstalled()
	g.aNamespace()
	m := builders.MakeModule(name).Namespace(g.ns).ModuleName(name).Runtime("node:20").
		Image(sampleapp.Repository + ":v1.0.0").Replicas(1).
		Pod(v1.PodSettings{ImagePullPolicy: corev1.PullIfNotPresent, Args: []string{"src/module.js"}}).
		Spec(func(s *v1.GatiModuleSpec) {
			s.HealthCheck = &v1.ModuleHealthCheck{Type: v1.HealthCheckHTTP, Path: "/health"}
			for _, change := range changes {
				change(s)
			}
		}).Obj()
	if err := admin.Apply(g.t.Context(), toApplyConfiguration(g.t, m), client.FieldOwner("kubectl")); err != nil {
		g.t.Fatal(err)
	}
	g.eventually("module that is Ready", func() error {
		if err := admin.Get(g.t.Context(), client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		return checkReadyCondition(m.Status.Conditions, m.Generation)
	})
	g.logStep("given the module %s, port %d, capabilities %v", name, *m.Spec.Port, m.Spec.Capabilities)
}

// itAnswersAs asks both ways.
func (n then) itAnswersAs(version string) {
	n.t.Helper()
	for _, to := range n.loadTargets("/users/7") {
		r, err := askForReply(n.t.Context(), to.URL, to.Host, "")
		if err != nil {
			n.t.Error(err)
			continue
		}
		if r.Version != version || !strings.HasPrefix(r.By.Instance, "handler-users-") {
			n.t.Errorf("%s: %s of %s has answered, want a pod of %s", to.URL, r.Version, r.By.Instance, version)
		}
		n.logStep("then %s answers: %s of %s", to.URL, r.Version, r.By.Instance)
	}
}

// itsModuleHasAnswered holds that the answer has been through a pod of the module.
func (n then) itsModuleHasAnswered() {
	n.t.Helper()
	to := n.loadTargets("/users/7")[0]
	r, err := askForReply(n.t.Context(), to.URL, to.Host, "")
	if err != nil {
		n.t.Fatal(err)
	}
	if r.By.Module == nil || !strings.HasPrefix(*r.By.Module, "module-directory-") {
		n.t.Fatalf("the module in the answer is %v", r.By.Module)
	}
	n.logStep("then its module has answered: %s", *r.By.Module)
}

// confinement is a process's view of its environment.
type confinement struct {
	UID, GID                 int
	Root, App, Tmp, Runtime  string
	Token                    bool
	NoNewPrivs, Capabilities string
}

// probe is run inside a container. Each file operation tells its error, or "ok".
const probe = `
const fs = require('fs');
const write = (dir) => { try { const f = dir + '/probe'; fs.writeFileSync(f, 'x'); fs.unlinkSync(f); return 'ok'; } catch (e) { return e.code; } };
const field = (name) => fs.readFileSync('/proc/self/status', 'utf8').match(new RegExp('^' + name + ':\\s*(\\S+)', 'm'))[1];
console.log(JSON.stringify({
  UID: process.getuid(), GID: process.getgid(), Root: write(''), App: write('/app'), Tmp: write('/tmp'), Runtime: write('/app/.gati'),
  Token: fs.existsSync('/var/run/secrets/kubernetes.io'), NoNewPrivs: field('NoNewPrivs'), Capabilities: field('CapEff'),
}));`

// itsPodsAreHardened asks inside a pod of the handler and of the module, if any.
func (n then) itsPodsAreHardened() {
	n.t.Helper()
	var pods corev1.PodList
	if err := admin.List(n.t.Context(), &pods, client.InNamespace(n.ns)); err != nil {
		n.t.Fatal(err)
	}
	want := confinement{UID: 1001, GID: 1001, Root: "EROFS", App: "EROFS", Tmp: "ok", Runtime: "ok", NoNewPrivs: "1", Capabilities: "0000000000000000"}
	for _, p := range pods.Items {
		var got confinement
		if err := json.Unmarshal([]byte(n.runKubectl("", "exec", p.Name, "--", "/usr/bin/node", "-e", probe)), &got); err != nil {
			n.t.Fatal(err)
		}
		if got != want {
			n.t.Errorf("pod %s: %+v, want %+v", p.Name, got, want)
		}
	}
	n.logStep("then inside each of the %d pods: %s", len(pods.Items), fmt.Sprintf("%+v", want))
}
