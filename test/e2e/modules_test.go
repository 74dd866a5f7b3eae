package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/page"
)

// TestAHandlerReachesItsModules holds, by packets, that the addresses that a handler gets
// lead to its modules, and that a module reaches and is reached by what its capabilities
// grant. Where the namespace denies egress, the policy of docs/modules.md allows these
// addresses alone. The network of the cluster has to enforce NetworkPolicies.
func TestAHandlerReachesItsModules(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aModule("directory")
	given.aModule("search", listensOn(6000), grantCapabilities(v1.CapabilityNetwork))
	given.aHandler(setModules("directory", "search"))
	then.itReachesByItsVariables("DIRECTORY", "SEARCH")
	then.aModuleReaches("directory", nothing)
	then.aModuleReaches("search", everything)
	then.outsideReaches("directory", 50051, false)
	then.outsideReaches("search", 6000, true)

	when.egressIsDenied()
	then.theHandlerReaches(map[string]string{"module-directory:50051": nothing, "module-search:50051": nothing, apiServer(): nothing})
	when.thePageAllowsModules()
	then.theHandlerReaches(map[string]string{"module-directory:50051": everything, "module-search:50051": everything, apiServer(): nothing})
	then.itReachesByItsVariables("DIRECTORY", "SEARCH")
}

func listensOn(number int32) func(*v1.GatiModuleSpec) {
	return func(s *v1.GatiModuleSpec) { s.Port = &number }
}

func grantCapabilities(names ...v1.Capability) func(*v1.GatiModuleSpec) {
	return func(s *v1.GatiModuleSpec) { s.Capabilities = names }
}

// callModules is run inside a handler's container. It calls each module by the variables
// that it finds.
const callModules = `
(async () => {
  const out = {};
  for (const name of process.argv.slice(1)) {
    const host = process.env['GATI_MODULE_' + name], port = process.env['GATI_MODULE_' + name + '__PORT'];
    const answer = await fetch('http://' + host + ':' + port + '/find', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"args":["7"]}', signal: AbortSignal.timeout(9000) });
    out[name] = (await answer.json()).by;
  }
  console.log(JSON.stringify(out));
})().catch((e) => { console.error(e); process.exit(1); });`

// itReachesByItsVariables wants an answer of each module's own pods.
func (n then) itReachesByItsVariables(names ...string) {
	n.t.Helper()
	pods, err := n.handlerPods()
	if err != nil || len(pods) == 0 {
		n.t.Fatalf("%d pods, error %v", len(pods), err)
	}
	var got map[string]string
	args := append([]string{"exec", pods[0].Name, "--", "/usr/bin/node", "-e", callModules}, names...)
	if err := json.Unmarshal([]byte(n.runKubectl("", args...)), &got); err != nil {
		n.t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasPrefix(got[name], "module-"+strings.ToLower(name)+"-") {
			n.t.Errorf("%s: %q has answered", name, got[name])
		}
	}
	n.logStep("then the handler reaches its modules by GATI_MODULE_…: %v", got)
}

// connect is run inside a container. It tells of each address whether it can be reached.
const connect = `
const net = require('net');
Promise.all(process.argv.slice(1).map((to) => new Promise((done) => {
  const at = to.lastIndexOf(':'), s = net.connect({ host: to.slice(0, at), port: Number(to.slice(at + 1)) });
  const end = (text) => { s.destroy(); done([to, text]); };
  s.setTimeout(4000, () => end('timeout')); s.on('connect', () => end('connected')); s.on('error', (e) => end(e.code));
}))).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));`

// What a module may reach of what is around it.
const (
	nothing    = "timeout"
	everything = "connected"
)

// aModuleReaches wants the same of all addresses around a module: the handler, the other
// modules and the API server, which is outside of the pods' network.
func (n then) aModuleReaches(module, want string) {
	n.t.Helper()
	var pods corev1.PodList
	if err := admin.List(n.t.Context(), &pods, client.InNamespace(n.ns)); err != nil {
		n.t.Fatal(err)
	}
	to, from := []string{apiServer()}, ""
	for _, p := range pods.Items {
		if p.Labels[v1.LabelModule] == module {
			from = p.Name
			continue
		}
		to = append(to, fmt.Sprintf("%s:%d", p.Status.PodIP, p.Spec.Containers[0].Ports[0].ContainerPort))
	}
	got := n.connectFrom(from, to)
	for _, address := range to {
		if got[address] != want {
			n.t.Errorf("module %s to %s: %s, want %s", module, address, got[address], want)
		}
	}
	n.logStep("then module %s: %v", module, got)
}

// apiServer is the address of the API server, which is outside of the pods' network.
func apiServer() string { return strings.TrimPrefix(adminConfig.Host, "https://") }

// connectFrom connects from a pod to addresses, and returns what came of each.
func (w *world) connectFrom(pod string, to []string) (got map[string]string) {
	w.t.Helper()
	args := append([]string{"exec", pod, "--", "/usr/bin/node", "-e", connect}, to...)
	if err := json.Unmarshal([]byte(w.runKubectl("", args...)), &got); err != nil {
		w.t.Fatal(err)
	}
	return got
}

// egressIsDenied applies the usual policy of a namespace whose pods call nothing.
func (w when) egressIsDenied() {
	w.t.Helper()
	w.runKubectl(`apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: default-deny-egress}
spec: {podSelector: {}, policyTypes: [Egress]}
`, "apply", "-f", "-")
	w.logStep("when a policy denies all egress of the namespace")
}

// thePageAllowsModules applies what docs/modules.md has for such a namespace.
func (w when) thePageAllowsModules() {
	w.t.Helper()
	w.runKubectl(page.File(w.t, "docs/modules.md", "egress.yaml"), "apply", "-f", "-")
	w.logStep("when the policy of docs/modules.md is applied")
}

// theHandlerReaches waits until connections from a pod of the handler end as wanted. The
// network learns of policies a moment later.
func (n then) theHandlerReaches(want map[string]string) {
	n.t.Helper()
	pods, err := n.handlerPods()
	if err != nil || len(pods) == 0 {
		n.t.Fatalf("%d pods, error %v", len(pods), err)
	}
	to := slices.Sorted(maps.Keys(want))
	n.eventually("connections from the handler that end as wanted", func() error {
		if got := n.connectFrom(pods[0].Name, to); !maps.Equal(got, want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	})
	n.logStep("then the handler: %v", want)
}

// outsideReaches connects to a module's pod from outside of the pods' network.
func (n then) outsideReaches(module string, port int32, want bool) {
	n.t.Helper()
	var pods corev1.PodList
	if err := admin.List(n.t.Context(), &pods, client.InNamespace(n.ns), client.MatchingLabels{v1.LabelModule: module}); err != nil || len(pods.Items) == 0 {
		n.t.Fatalf("%d pods, error %v", len(pods.Items), err)
	}
	address := net.JoinHostPort(pods.Items[0].Status.PodIP, fmt.Sprint(port))
	connection, err := (&net.Dialer{Timeout: 4 * time.Second}).DialContext(n.t.Context(), "tcp", address)
	if err == nil {
		err = connection.Close()
	}
	if (err == nil) != want {
		n.t.Errorf("from outside to module %s at %s: %v, want a connection: %v", module, address, err, want)
	}
	n.logStep("then from outside to module %s: %v", module, err)
}
