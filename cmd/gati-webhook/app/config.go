package app

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"gati.dev/gati/pkg/controller/handler"
	"gati.dev/gati/pkg/signals"
)

// Values of cert-mode.
const (
	certModeSelf  = "self"
	certModeFiles = "files"
)

// Values of role.
const (
	roleAll         = "all"
	roleAdmission   = "admission"
	roleControllers = "controllers"
)

const (
	defaultNamespace = "gati-system"
	serviceName      = "gati-webhook"
	// namespaceFile has the namespace of a pod.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// config is the operator's configuration.
type config struct {
	Role               string
	WebhookPort        int
	WebhookBindAddress string
	HealthBindAddress  string
	MetricsBindAddress string
	PprofBindAddress   string

	LeaderElect             bool
	LeaderElectionNamespace string
	LeaseDuration           time.Duration
	RenewDeadline           time.Duration
	RetryPeriod             time.Duration

	Namespace    string
	CertMode     string
	CertDir      string
	DNSNames     []string
	CASecretName string
	InjectCA     bool
	CALifetime   time.Duration
	LeafLifetime time.Duration
	LeafHold     time.Duration

	// CAFile has authorities that servers outside of the cluster are trusted by, beside
	// those of the system.
	CAFile string

	ClientCAFile string
	ClientNames  []string

	ShutdownDelay time.Duration
	Kubeconfig    string
	// ControllersKubeconfig is that of the controllers, where one process has both roles.
	ControllersKubeconfig string
	KubeAPIQPS            float32
	// ConcurrentHandlers is how many handlers are reconciled at once.
	ConcurrentHandlers int
	LogLevel           string
	LogFormat          string

	RuntimeClasses map[string]string

	Target         string
	AllowedTargets []string
	Git            gitConfig
	Turns          turnConfig

	Prometheus      signals.PrometheusConfig
	PodMetrics      bool
	Keda            kedaConfig
	AnalysisQueries bool
	// TransformerEvidence is one of transformerEvidence.
	TransformerEvidence string

	Notify          sinks
	NotifySecretDir string

	OTLPEndpoint string

	version bool
}

// newFlagSet binds the configuration to flags. Their names are the keys of the
// configuration file.
func (c *config) newFlagSet(getenv func(string) string) *pflag.FlagSet {
	f := pflag.NewFlagSet("gati-webhook", pflag.ContinueOnError)
	f.SortFlags = false
	f.String(flagConfig, "", "a YAML file with the same keys as these flags; a flag wins over the file")
	f.StringVar(&c.Role, "role", roleAll, "admission: answer the API server; controllers: make the plans real, and make and publish the CA; all: both in one process")
	c.addServingFlags(f)
	c.addLeaderFlags(f)
	c.addCertFlags(f)
	f.StringVar(&c.Kubeconfig, "kubeconfig", "", "the kubeconfig; empty is KUBECONFIG, the pod's account or ~/.kube/config")
	f.StringVar(&c.ControllersKubeconfig, "controllers-kubeconfig", "", "with --role=all, the kubeconfig of the controllers, whose account has other rights than that of the hooks; empty is --kubeconfig")
	f.Float32Var(&c.KubeAPIQPS, "kube-api-qps", -1, "requests a second to the API server; -1 leaves it to the API server's own fairness")
	f.IntVar(&c.ConcurrentHandlers, "concurrent-handlers", handler.DefaultWorkers, "how many handlers are reconciled at once; more bring the pods of a crowd of new ones sooner and ask more of the API server")
	f.StringVar(&c.LogLevel, "log-level", firstNonEmpty(getenv("LOG_LEVEL"), "info"), "debug, info, warn or error; the default is LOG_LEVEL")
	f.StringVar(&c.LogFormat, "log-format", "json", "json or text")
	f.StringToStringVar(&c.RuntimeClasses, "runtime-classes", nil, "the runtimeClassName of wasm modules, by their runtime: wasmtime=wasmtime-v2")
	c.addTargetFlags(f, getenv)
	c.Turns.addFlags(f)
	c.addSignalFlags(f)
	c.addNotifyFlags(f)
	f.StringVar(&c.OTLPEndpoint, "otlp-endpoint", "", "where to export traces, as OTLP by HTTP: http://collector.observability.svc:4318/v1/traces; empty is off")
	f.BoolVar(&c.version, "version", false, "print the version and exit")
	return f
}

func (c *config) addServingFlags(f *pflag.FlagSet) {
	f.IntVar(&c.WebhookPort, "webhook-port", 9443, "the port of admission and conversion")
	f.StringVar(&c.WebhookBindAddress, "webhook-bind-address", "", "the address of admission and conversion; empty is every one")
	f.StringVar(&c.HealthBindAddress, "health-probe-bind-address", ":8081", "where /healthz and /readyz are served; 0 turns them off")
	f.StringVar(&c.MetricsBindAddress, "metrics-bind-address", ":8080", "where /metrics is served, by TLS, to whom the API server lets get the URL /metrics; 0 turns it off")
	f.StringVar(&c.PprofBindAddress, "pprof-bind-address", "0", "where Go's profiles are served at /debug/pprof, on loopback only: 127.0.0.1:6060; 0 turns it off")
	f.DurationVar(&c.ShutdownDelay, "shutdown-delay", 10*time.Second, "how long to keep serving, unready, after SIGTERM; a second signal cuts it short")
}

// addLeaderFlags adds the flags of the election. Another replica takes over within
// lease-duration and one retry-period, which must stay below ten seconds.
func (c *config) addLeaderFlags(f *pflag.FlagSet) {
	f.BoolVar(&c.LeaderElect, "leader-elect", true, "let one replica run the controllers; false if there is only one")
	f.StringVar(&c.LeaderElectionNamespace, "leader-election-namespace", "", "the namespace of the Lease; empty is --namespace")
	f.DurationVar(&c.LeaseDuration, "leader-election-lease-duration", 7*time.Second, "how long a leader that is silent stays leader")
	f.DurationVar(&c.RenewDeadline, "leader-election-renew-deadline", 5*time.Second, "how long a leader tries to renew before it gives up")
	f.DurationVar(&c.RetryPeriod, "leader-election-retry-period", time.Second, "how often to renew, and to try to become leader")
}

func (c *config) addCertFlags(f *pflag.FlagSet) {
	f.StringVar(&c.Namespace, "namespace", podNamespace(), "the namespace of the CA's Secret and of the Service; the default is the pod's own")
	f.StringVar(&c.CertMode, "cert-mode", certModeSelf, "self: make certificates, with the CA in a Secret; files: read tls.crt and tls.key in --cert-dir")
	f.StringVar(&c.CertDir, "cert-dir", "", "the folder of the certificate, with --cert-mode=files")
	f.StringSliceVar(&c.DNSNames, "dns-names", nil, "the names and IP addresses in the certificate; empty is those of the Service")
	f.StringVar(&c.CASecretName, "ca-secret-name", "gati-webhook-ca", "the Secret that holds the CA, with --cert-mode=self")
	f.BoolVar(&c.InjectCA, "inject-ca", true, "put the CA into the webhook configurations and CRDs")
	f.DurationVar(&c.CALifetime, "ca-lifetime", 365*24*time.Hour, "how long a CA is valid, with --cert-mode=self; it is replaced with a third of that left")
	f.DurationVar(&c.LeafLifetime, "leaf-lifetime", 7*24*time.Hour, "how long a serving certificate is valid, with --cert-mode=self; it is renewed with a third of that left")
	f.StringVar(&c.CAFile, "ca-file", "", "further authorities, in PEM, that https servers of sinks, Git and Prometheus are trusted by")
	f.StringVar(&c.ClientCAFile, "client-ca-file", "", "the authorities, in PEM, of the client certificate that the API server has to show for admission; empty asks for none")
	f.StringSliceVar(&c.ClientNames, "client-names", nil, "the common names that this client certificate may have; empty is any")
	f.DurationVar(&c.LeafHold, "leaf-hold", time.Minute, "how long a renewed certificate waits before it is served, for API servers that are behind with the CA or the time")
}

const flagPodMetrics = "pod-metrics"

// addSignalFlags adds the flags of traffic measurement. Without any source, drains
// end at their deadline and analyses have no data.
func (c *config) addSignalFlags(f *pflag.FlagSet) {
	p := &c.Prometheus
	f.StringVar(&p.URL, "prometheus-url", "", "the Prometheus that measures traffic, such as http://prometheus.monitoring.svc:9090; without it, nothing asks Prometheus")
	f.StringVar(&p.Metrics, "prometheus-metrics", "gati", "whose metrics it has: "+strings.Join(signals.SetNames(), ", ")+"; those of a gateway see one path to the pods only")
	f.StringVar(&p.TokenFile, "prometheus-token-file", "", "a file with the bearer token for Prometheus, read for each query")
	f.StringVar(&p.User, "prometheus-user", "", "the user for Prometheus, with prometheus-password-file")
	f.StringVar(&p.PasswordFile, "prometheus-password-file", "", "a file with the password for Prometheus, read for each query")
	f.StringVar(&p.CAFile, "prometheus-ca-file", "", "the authorities that Prometheus is trusted by, in PEM; empty is those of the system and of ca-file")
	f.DurationVar(&p.Timeout, "prometheus-timeout", 5*time.Second, "how long a query may take")
	f.Int64Var(&p.Limit, "prometheus-answer-limit", 16<<20, "how many bytes an answer may have")
	f.DurationVar(&p.ScrapeInterval, "prometheus-scrape-interval", 15*time.Second, "how often Prometheus reads the metrics")
	f.StringVar(&p.NamespaceLabel, "prometheus-namespace-label", "namespace", "the label that says in which namespace a pod is")
	f.StringVar(&p.PodLabel, "prometheus-pod-label", "pod", "the label that says which pod it is")
	f.StringVar(&p.Matcher, "prometheus-matcher", "", "what is added to every selector, such as cluster=\"here\"")
	f.BoolVar(&c.PodMetrics, flagPodMetrics, true, "measure traffic by reading /metrics of the pods themselves; the default is false with a prometheus-url")
	f.StringVar(&c.Keda.PrometheusURL, "keda-prometheus-url", "", "the Prometheus that KEDA reads the rate of requests from; empty is prometheus-url")
	f.StringVar(&c.Keda.Authentication, "keda-prometheus-authentication", "", "the ClusterTriggerAuthentication with KEDA's credentials for that Prometheus; without it, KEDA sends none")
	f.StringVar(&c.Keda.AuthModes, "keda-prometheus-auth-modes", "bearer", "how KEDA sends these credentials: "+strings.Join(kedaAuthModes, ", "))
	f.StringVar(&c.TransformerEvidence, "transformer-evidence", evidenceReported, "the proof that pods hold the transformers of a breaking version. reported: the metrics of each ready pod; declared: the record alone")
	f.BoolVar(&c.AnalysisQueries, "analysis-queries", false, "let users ask Prometheus queries of their own in spec.rollout.analysis; they may read all that it has")
}

// loadConfig reads the flags, and the file for those that are not set.
func loadConfig(args []string, getenv func(string) string) (*config, error) {
	c := &config{}
	f := c.newFlagSet(getenv)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q; there are only flags, see --help", f.Arg(0))
	}
	if path, _ := f.GetString(flagConfig); path != "" {
		if err := applyFile(f, path); err != nil {
			return nil, err
		}
	}
	c.deriveDefaults()
	if c.Prometheus.URL != "" && !f.Changed(flagPodMetrics) {
		c.PodMetrics = false // One source is enough.
	}
	return c, c.validate()
}

func (c *config) runsHooks() bool       { return c.Role != roleControllers }
func (c *config) runsControllers() bool { return c.Role != roleAdmission }

// callsServers reports whether servers outside of the cluster are called: both Deployments read
// one configuration, and the hooks alone, which send nothing but traces, need no ca-file.
func (c *config) callsServers() bool { return c.runsControllers() || c.OTLPEndpoint != "" }

func (c *config) deriveDefaults() {
	c.LeaderElectionNamespace = firstNonEmpty(c.LeaderElectionNamespace, c.Namespace)
	if len(c.DNSNames) == 0 {
		host := serviceName + "." + c.Namespace + ".svc"
		c.DNSNames = []string{host, host + ".cluster.local"}
	}
}

func podNamespace() string {
	data, err := os.ReadFile(namespaceFile)
	if err != nil {
		return defaultNamespace
	}
	return firstNonEmpty(strings.TrimSpace(string(data)), defaultNamespace)
}

func firstNonEmpty(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
