package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func noEnv(string) string { return "" }

func TestLoadConfig(t *testing.T) {
	tests := map[string]struct {
		args []string
		file string
		env  map[string]string
		want func(*config)
		err  string
	}{
		"defaults": {},
		"a flag": {
			args: []string{"--webhook-port=1"}, want: func(c *config) { c.WebhookPort = 1 },
		},
		"the file": {
			file: "webhook-port: 1\nshutdown-delay: 3s\ninject-ca: false\nruntime-classes: {wasmtime: fast}\ndns-names: [a.b, c.d]\n",
			want: func(c *config) {
				c.WebhookPort, c.ShutdownDelay, c.InjectCA = 1, 3*time.Second, false
				c.RuntimeClasses = map[string]string{"wasmtime": "fast"}
				c.DNSNames = []string{"a.b", "c.d"}
			},
		},
		"a flag wins over the file": {
			args: []string{"--webhook-port=2", "--dns-names=x"}, file: "webhook-port: 1\ndns-names: [a.b]\n",
			want: func(c *config) { c.WebhookPort, c.DNSNames = 2, []string{"x"} },
		},
		"empty collections in the file": {file: "runtime-classes: {}\ndns-names: []\n"},
		"LOG_LEVEL":                     {env: map[string]string{"LOG_LEVEL": "debug"}, want: func(c *config) { c.LogLevel = "debug" }},
		"a flag wins over LOG_LEVEL": {
			args: []string{"--log-level=warn"}, env: map[string]string{"LOG_LEVEL": "debug"}, want: func(c *config) { c.LogLevel = "warn" },
		},
		"DEPLOYMENT_TARGET":            {env: map[string]string{"DEPLOYMENT_TARGET": "kubernetes"}, args: []string{"--allowed-targets=kubernetes"}, want: func(c *config) { c.AllowedTargets = []string{"kubernetes"} }},
		"an unknown DEPLOYMENT_TARGET": {env: map[string]string{"DEPLOYMENT_TARGET": "aws"}, err: `target "aws": want one of kubernetes`},
		"an unknown allowed target":    {args: []string{"--allowed-targets=aws"}, err: `target "aws": want one of`},
		"limits of rollouts": {
			args: []string{"--max-rollouts-per-cluster=20"}, file: "max-rollouts-per-namespace: 5\nmax-rollouts-apply-to: all\n",
			want: func(c *config) {
				c.Turns = turnConfig{PerNamespace: 5, PerCluster: 20, ApplyTo: turnsForAll}
			},
		},
		"no workers":            {args: []string{"--concurrent-handlers=0"}, err: "concurrent-handlers is 0, want 1 or more"},
		"a negative limit":      {args: []string{"--max-rollouts-per-namespace=-1"}, err: "max-rollouts-per-namespace -1 is negative; 0 is no limit"},
		"limits of what is not": {args: []string{"--max-rollouts-apply-to=canary"}, err: `max-rollouts-apply-to "canary": want one of namespace-image, all`},
		"names follow the namespace": {
			args: []string{"--namespace=x"}, want: func(c *config) {
				c.Namespace, c.LeaderElectionNamespace = "x", "x"
				c.DNSNames = []string{"gati-webhook.x.svc", "gati-webhook.x.svc.cluster.local"}
			},
		},
		"a Prometheus is enough": {
			args: []string{"--prometheus-url=http://p:9090"}, want: func(c *config) { c.Prometheus.URL, c.PodMetrics = "http://p:9090", false },
		},
		"a Prometheus and pods": {
			args: []string{"--prometheus-url=http://p:9090"}, file: "pod-metrics: true\n", want: func(c *config) { c.Prometheus.URL = "http://p:9090" },
		},
		"no pods":                   {file: "pod-metrics: false\n", want: func(c *config) { c.PodMetrics = false }},
		"an unknown key":            {file: "webhookPort: 1\n", err: "the keys are: allowed-targets, analysis-queries, ca-file, ca-lifetime, ca-secret-name, cert-dir,"},
		"a key of flags alone":      {file: "config: x\n", err: `no key "config"`},
		"a key twice":               {file: "webhook-port: 1\nwebhook-port: 2\n", err: "already"},
		"a value of another type":   {file: "shutdown-delay: soon\n", err: `key "shutdown-delay"`},
		"an argument":               {args: []string{"serve"}, err: "there are only flags"},
		"an unknown flag":           {args: []string{"--x"}, err: "unknown flag"},
		"a leaf is served in time":  {args: []string{"--leaf-lifetime=2m"}, err: "leaf-hold 1m0s has to be less than a third of leaf-lifetime 2m0s"},
		"a leaf outlives no CA":     {args: []string{"--ca-lifetime=480h"}, err: "leaf-lifetime 168h0m0s has to be at most a third of ca-lifetime 480h0m0s"},
		"a CA is looked at in time": {args: []string{"--ca-lifetime=59s", "--leaf-lifetime=10s", "--leaf-hold=1s"}, err: "ca-lifetime 59s: want at least 1m"},
		"names need authorities":    {args: []string{"--client-names=a"}, err: "client-names needs client-ca-file"},
		"profiles are for the host": {args: []string{"--pprof-bind-address=:6060"}, err: "pprof-bind-address :6060: want an address of this host alone"},
		"profiles": {
			args: []string{"--pprof-bind-address=[::1]:6060"}, want: func(c *config) { c.PprofBindAddress = "[::1]:6060" },
		},
		"a role": {
			args: []string{"--role=controllers"}, want: func(c *config) { c.Role = roleControllers },
		},
		"an unknown role":        {args: []string{"--role=hooks"}, err: "want one of all, admission, controllers"},
		"a kubeconfig of no use": {args: []string{"--role=admission", "--controllers-kubeconfig=x"}, err: "controllers-kubeconfig belongs to role all; with role admission set kubeconfig"},
		"files need a folder":    {args: []string{"--cert-mode=files"}, err: "needs cert-dir"},
		"all that is wrong is told": {
			args: []string{"--log-level=loud", "--leader-election-lease-duration=1s", "--webhook-port=0"},
			err:  "webhook-port 0",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			args := tc.args
			if tc.file != "" {
				args = append(args, "--config="+write(t, tc.file))
			}
			got, err := loadConfig(args, func(key string) string { return tc.env[key] })
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got error %v, want one that says %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := defaults(t)
			if tc.want != nil {
				tc.want(want)
			}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(config{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAMissingFileIsAnError(t *testing.T) {
	_, err := loadConfig([]string{"--config=/does/not/exist"}, noEnv)
	if err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
		t.Errorf("got %v, want one that names the file", err)
	}
}

// A replica that dies has to be followed by another within ten seconds.
func TestDefaultsFailOverSoon(t *testing.T) {
	c := defaults(t)
	// A candidate tries every retry-period, with up to 20 % jitter.
	if took := c.LeaseDuration + c.RetryPeriod*12/10; took >= 10*time.Second {
		t.Errorf("failing over takes up to %s", took)
	}
}

// What is in flight has to end before the kubelet kills the process.
func TestDefaultsFitTheGracePeriodOfTheManifests(t *testing.T) {
	data, err := os.ReadFile("../../../manifests/controller/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "terminationGracePeriodSeconds: 45") {
		t.Fatal("the grace period changed; change it here too")
	}
	if total := defaults(t).ShutdownDelay + shutdownTimeout + exitMargin; total > 42*time.Second {
		t.Errorf("shutting down takes up to %s, the pod has 45s", total)
	}
}

// What could not be asked is refused at the start, not in the middle of a rollout.
func TestSignalsAreChecked(t *testing.T) {
	for args, says := range map[string]string{
		"--prometheus-url=http://prometheus:9090":                                                                "",
		"--prometheus-url=https://prometheus:9090/path --prometheus-metrics=traefik":                             "",
		"--prometheus-metrics=nothing":                                                                           "",
		"--prometheus-url=prometheus:9090":                                                                       "must be an address",
		"--prometheus-url=http://user:secret@prometheus:9090":                                                    "do not belong into the address",
		"--prometheus-url=http://prometheus:9090 --prometheus-metrics=nginx":                                     "choose one of gati, istio, traefik",
		"--prometheus-url=http://prometheus:9090 --prometheus-timeout=0s":                                        "above zero",
		"--prometheus-url=http://prometheus:9090 --prometheus-pod-label=":                                        "must not be empty",
		"--prometheus-url=http://prometheus:9090 --prometheus-user=me":                                           "belong together",
		"--prometheus-url=http://p:1 --prometheus-user=a --prometheus-password-file=b --prometheus-token-file=c": "exclude each other",
	} {
		_, err := loadConfig(strings.Fields(args), noEnv)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: got %v, want %q in it", args, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the password is told: %v", args, err)
		}
	}
}

func defaults(t *testing.T) *config {
	t.Helper()
	c, err := loadConfig(nil, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
