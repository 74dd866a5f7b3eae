package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// proxied is the header that the proxy adds to an answer.
const proxied = "X-Proxied-By"

// proxyProgram sends requests on to the port that the init container wrote. After a SIGTERM it
// works on for two seconds, so that its end is told from the handler's.
const proxyProgram = `
const http = require('node:http');
const port = Number(require('node:fs').readFileSync('/shared/port', 'utf8'));
const agent = new http.Agent({ keepAlive: true });
http.createServer((req, res) => {
  const on = http.request({ agent, host: '127.0.0.1', port, method: req.method, path: req.url, headers: req.headers }, (answer) => {
    res.writeHead(answer.statusCode, { ...answer.headers, 'X-Proxied-By': process.env.NAME });
    answer.pipe(res);
  });
  on.on('error', () => { res.writeHead(502); res.end(); });
  req.pipe(on);
}).listen(8080);
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 2000));
`

// Programs of the sidecar that crashes.
const (
	crashesOnce = `
const fs = require('node:fs');
if (!fs.existsSync('/tmp/crashed')) { fs.writeFileSync('/tmp/crashed', ''); process.exit(3); }
setInterval(() => {}, 1000);
`
	crashesAlways = `process.exit(3)`
)

// setProxy puts a proxy in front of the handler.
func setProxy(s *v1.GatiHandlerSpec) {
	shared := []v1.VolumeMount{{Name: "shared", MountPath: "/shared"}}
	s.Pod.Volumes = []v1.Volume{{Name: "shared", EmptyDir: &corev1.EmptyDirVolumeSource{}}}
	s.Pod.InitContainers = []v1.InitContainer{{ContainerProgram: v1.ContainerProgram{
		Name: "render", Command: []string{"node", "-e", `require('node:fs').writeFileSync('/shared/port', '3000')`}, VolumeMounts: shared,
	}}}
	s.Pod.Sidecars = []v1.Sidecar{{
		ContainerProgram: v1.ContainerProgram{
			Name: "proxy", Command: []string{"node", "-e", proxyProgram}, Env: []corev1.EnvVar{{Name: "NAME", Value: "proxy"}}, VolumeMounts: shared,
		},
		Ports:          []v1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		StartupProbe:   &v1.ContainerProbe{TCPSocket: &v1.ProbeSocket{Port: 8080}, PeriodSeconds: 1, FailureThreshold: 60},
		ReadinessProbe: &v1.ContainerProbe{TCPSocket: &v1.ProbeSocket{Port: 8080}, PeriodSeconds: 2},
	}}
}

// setFlaky sets the program of the sidecar that crashes.
func setFlaky(program string) change {
	return func(s *v1.GatiHandlerSpec) {
		isFlaky := func(c v1.Sidecar) bool { return c.Name == "flaky" }
		s.Pod.Sidecars = append(slices.DeleteFunc(slices.Clone(s.Pod.Sidecars), isFlaky), v1.Sidecar{
			ContainerProgram: v1.ContainerProgram{Name: "flaky", Command: []string{"node", "-e", program}},
		})
	}
}

// answersCameThroughTheProxy asks by the gateway and by the Service.
func (n then) answersCameThroughTheProxy() {
	n.t.Helper()
	for _, to := range n.loadTargets("/users/7") {
		answer, err := sendGet(n.t.Context(), to.URL, to.Host, "")
		if err != nil {
			n.t.Fatal(err)
		}
		if got := answer.header.Get(proxied); got != "proxy" {
			n.t.Errorf("%s: %d, %s is %q", to.URL, answer.status, proxied, got)
		}
	}
	n.logStep("then the gateway and the Service lead through the proxy")
}

// statusShows waits until the status that the plugin prints has these words.
func (n then) statusShows(part string) {
	n.t.Helper()
	n.eventually("status that shows "+part, func() error {
		cmd := exec.CommandContext(n.t.Context(), tools.Plugin, "status", "users", "-n", n.ns)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
		out, err := cmd.CombinedOutput()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		return checkContains(string(out), part)
	})
	n.logStep("then kubectl gati status shows: %s", part)
}

// podsAreFilmed records every state of the pods from now on.
func (g given) podsAreFilmed() *film[*corev1.Pod] {
	g.t.Helper()
	return filmOf[*corev1.Pod](g.world, &corev1.PodList{})
}

// sidecarsStopLast wants that in every pod that was removed, the proxy ended after the handler.
func (n then) sidecarsStopLast(of *film[*corev1.Pod]) {
	n.t.Helper()
	seen := map[string]bool{}
	n.eventually("pod whose containers have ended", func() error {
		for _, frame := range of.Frames() {
			own, proxy := endOf(frame.Object.Status.ContainerStatuses, "handler"), endOf(frame.Object.Status.InitContainerStatuses, "proxy")
			if own == nil || proxy == nil || frame.Object.DeletionTimestamp == nil || seen[frame.Object.Name] {
				continue
			}
			seen[frame.Object.Name] = true
			if !own.FinishedAt.Before(&proxy.FinishedAt) {
				n.t.Errorf("%s: the handler ended at %s, the proxy at %s", frame.Object.Name, own.FinishedAt, proxy.FinishedAt)
			}
			n.logStep("then in %s the proxy ended %s after the handler", frame.Object.Name, proxy.FinishedAt.Sub(own.FinishedAt.Time))
		}
		if len(seen) == 0 {
			return fmt.Errorf("it is in none of %d states", len(of.Frames()))
		}
		return nil
	})
}

// endOf returns the end of a container that does not run again.
func endOf(all []corev1.ContainerStatus, name string) *corev1.ContainerStateTerminated {
	for i := range all {
		if all[i].Name == name {
			return all[i].State.Terminated
		}
	}
	return nil
}
