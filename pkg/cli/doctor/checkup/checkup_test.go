package checkup_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/doctor/checkup"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const handlersCRD = "gatihandlers.gati.dev"

// breakages make one thing wrong with a cluster that is well. What is then said
// is in testdata.
var breakages = map[string]func(*checkup.Facts){
	"nothing": func(*checkup.Facts) {},
	"old-server": func(f *checkup.Facts) {
		f.Server.Value = checkup.Version{GitVersion: "v1.32.4", Major: "1", Minor: "32"}
	},
	"strange-server":  func(f *checkup.Facts) { f.Server.Value = checkup.Version{GitVersion: "v2.0.0", Major: "2", Minor: "0"} },
	"no-policy-api":   func(f *checkup.Facts) { f.Served.Value["policy"] = []string{"v1beta1"} },
	"not-installed":   func(f *checkup.Facts) { f.CRDs[handlersCRD] = absent[checkup.CRD]() },
	"not-established": func(f *checkup.Facts) { edit(f.CRDs, func(c *checkup.CRD) { c.Status.Conditions[0].Status = "False" }) },
	"crd-unread":      func(f *checkup.Facts) { f.CRDs[handlersCRD] = unread[checkup.CRD]() },
	"stored": func(f *checkup.Facts) {
		edit(f.CRDs, func(c *checkup.CRD) { c.Status.StoredVersions = []string{"v1", "v1alpha1"} })
	},
	"other-crd": func(f *checkup.Facts) {
		edit(f.CRDs, func(c *checkup.CRD) { c.Spec.Versions = json.RawMessage(`[{"name":"v1"}]`) })
	},
	"same-crd": func(f *checkup.Facts) {
		edit(f.CRDs, func(c *checkup.CRD) { c.Spec.Versions = json.RawMessage(` [ {"served":true, "name":"v1"}]`) })
	},
	"no-hooks":        func(f *checkup.Facts) { f.Hooks["Validating"] = absent[checkup.HookConfiguration]() },
	"hooks-unread":    func(f *checkup.Facts) { f.Hooks["Validating"] = unread[checkup.HookConfiguration]() },
	"hook-gone":       func(f *checkup.Facts) { f.Hooks["Validating"] = known(checkup.HookConfiguration{}) },
	"hook-fails-open": func(f *checkup.Facts) { f.Hooks["Validating"].Value.Webhooks[0].FailurePolicy = "Ignore" },
	"hook-rules":      func(f *checkup.Facts) { f.Hooks["Validating"].Value.Webhooks[0].Rules = json.RawMessage(`[]`) },
	"hook-selects": func(f *checkup.Facts) {
		decode(`{"namespaceSelector":{"matchLabels":{"a":"b"}}}`, &f.Hooks["Validating"].Value.Webhooks[0])
	},
	"no-policy":     func(f *checkup.Facts) { f.Policies["gati-requests"] = absent[checkup.Policy]() },
	"no-binding":    func(f *checkup.Facts) { f.Bindings["gati-requests"] = absent[checkup.Binding]() },
	"policy-unread": func(f *checkup.Facts) { f.Policies["gati-requests"] = unread[checkup.Policy]() },
	"binding-audits": func(f *checkup.Facts) {
		edit(f.Bindings, func(b *checkup.Binding) { b.Spec.ValidationActions[0] = "Audit" })
	},
	"no-ca":          func(f *checkup.Facts) { f.Hooks["Validating"].Value.Webhooks[0].ClientConfig.CABundle = nil },
	"no-certificate": func(f *checkup.Facts) { setCA(f, []byte("x")) },
	"another-ca": func(f *checkup.Facts) {
		f.Hooks["Validating"].Value.Webhooks[0].ClientConfig.CABundle = ca(now, time.Hour)
	},
	"an-older-ca-too": func(f *checkup.Facts) {
		hook := &f.Hooks["Validating"].Value.Webhooks[0]
		hook.ClientConfig.CABundle = append(ca(now.Add(-time.Hour), 2*time.Hour), hook.ClientConfig.CABundle...)
	},
	"expired":       func(f *checkup.Facts) { setCA(f, ca(now.Add(-2*time.Hour), time.Hour)) },
	"expires":       func(f *checkup.Facts) { setCA(f, ca(now.Add(-9*time.Hour), 10*time.Hour)) },
	"leaf-expires":  func(f *checkup.Facts) { f.Secrets["gati-webhook-tls"] = known(ca(now.Add(-9*time.Hour), 10*time.Hour)) },
	"no-pods":       func(f *checkup.Facts) { f.Deployment.Value.Status.AvailableReplicas = 0 },
	"one-pod":       func(f *checkup.Facts) { f.Deployment.Value.Status.AvailableReplicas = 1 },
	"no-deployment": func(f *checkup.Facts) { f.Deployment = absent[checkup.Deployment]() },
	"no-controller": func(f *checkup.Facts) { f.Controllers = absent[checkup.Deployment]() },
	"no-deployments": func(f *checkup.Facts) {
		f.Deployment, f.Controllers = absent[checkup.Deployment](), absent[checkup.Deployment]()
	},
	"no-controller-pods": func(f *checkup.Facts) { f.Controllers.Value.Status.AvailableReplicas = 0 },
	"controller-unread":  func(f *checkup.Facts) { f.Controllers = unread[checkup.Deployment]() },
	"other-controller-release": func(f *checkup.Facts) {
		decode(`{"spec":{"template":{"spec":{"containers":[{"name":"gati-controller","image":"r.example:5000/w:v9.0.0"}]}}}}`, &f.Controllers.Value)
	},
	"outside": func(f *checkup.Facts) {
		f.Deployment, f.Controllers = absent[checkup.Deployment](), absent[checkup.Deployment]()
		decode(`{"clientConfig":{"url":"https://127.0.0.1:9443/validate"}}`, &f.Hooks["Validating"].Value.Webhooks[0])
	},
	"outside, without hooks": func(f *checkup.Facts) {
		f.Deployment, f.Controllers = absent[checkup.Deployment](), absent[checkup.Deployment]()
		f.Hooks["Validating"] = absent[checkup.HookConfiguration]()
		edit(f.CRDs, func(c *checkup.CRD) { c.Spec.Conversion.Webhook.ClientConfig.URL = "https://127.0.0.1:9443/convert" })
	},
	"chart, without hooks": func(f *checkup.Facts) {
		f.Hooks["Validating"] = absent[checkup.HookConfiguration]()
		edit(f.CRDs, func(c *checkup.CRD) {
			c.Metadata.Annotations = map[string]string{"meta.helm.sh/release-name": "gati", "meta.helm.sh/release-namespace": "ops"}
		})
	},
	"chart, other release": func(f *checkup.Facts) {
		edit(f.CRDs, func(c *checkup.CRD) { c.Metadata.Annotations = map[string]string{"meta.helm.sh/release-name": "gati"} })
		decode(`{"spec":{"template":{"spec":{"containers":[{"name":"gati-webhook","image":"r.example:5000/w:v9.0.0"}]}}}}`, &f.Deployment.Value)
	},
	"mirror, hook fails open": func(f *checkup.Facts) {
		f.Hooks["Validating"].Value.Webhooks[0].FailurePolicy = "Ignore"
		decode(`{"spec":{"template":{"spec":{"containers":[{"name":"gati-webhook","image":"r.example:5000/w@sha256:1"}]}}}}`, &f.Deployment.Value)
	},
	"all namespaces": func(f *checkup.Facts) {
		f.Namespace = ""
		f.MetricsAPI = absent[checkup.Conditioned]()
	},
	"deployment-unread": func(f *checkup.Facts) { f.Deployment = unread[checkup.Deployment]() },
	"not-reached": func(f *checkup.Facts) {
		f.Trials["v1"] = known(checkup.Trial{Refused: `failed calling webhook "validate.gati.dev": connection refused`})
	},
	"not-converted": func(f *checkup.Facts) {
		f.Trials["v1alpha1"] = known(checkup.Trial{Refused: "conversion webhook for gati.dev/v1 failed: connection refused"})
	},
	"refused-by-others": func(f *checkup.Facts) {
		f.Trials["v1"] = known(checkup.Trial{Refused: `admission webhook "x.example" denied the request: no`})
	},
	"not-stamped": func(f *checkup.Facts) { f.Trials["v1"] = known(checkup.Trial{}) },
	"not-tried":   func(f *checkup.Facts) { f.Trials["v1"] = unread[checkup.Trial]() },
	"other-release-by-digest": func(f *checkup.Facts) {
		decode(`{"spec":{"template":{"spec":{"containers":[{"name":"gati-webhook","image":"gati.dev/gati-webhook:v9.0.0@sha256:ab"}]}}}}`, &f.Deployment.Value)
	},
	"digest-alone": func(f *checkup.Facts) {
		decode(`{"spec":{"template":{"spec":{"containers":[{"name":"gati-webhook","image":"r.example:5000/w@sha256:ab"}]}}}}`, &f.Deployment.Value)
	},
	"other-release": func(f *checkup.Facts) {
		decode(`{"spec":{"template":{"spec":{"containers":[{"name":"gati-webhook","image":"r.example:5000/w:v9.0.0"}]}}}}`, &f.Deployment.Value)
	},
	"may-not-ask":  func(f *checkup.Facts) { f.Rights.Value[1].Allowed = false; f.Rights.Value[2].Allowed = false },
	"may-not-read": func(f *checkup.Facts) { f.Rights.Value[0].Allowed = false },
	"obstructed": func(f *checkup.Facts) {
		stalled := `{"status":{"conditions":[{"type":"Stalled","status":"True","reason":%q,"message":%q}]}}`
		const paused = "Deployment handler-users is paused by kubectl-rollout (spec.paused), so it makes no new pods; resume it: kubectl -n shop rollout resume deployment handler-users"
		decode(fmt.Sprintf(stalled, "Obstructed", paused+"."), &f.Handlers.Value[0])
		f.Handlers.Value[0].Status.Children = []v1.ChildStatus{{Kind: "Deployment.apps", Name: "handler-users", Message: paused}}
		var m v1.GatiModule
		decode(`{"metadata":{"namespace":"shop","name":"db"}}`, &m)
		decode(fmt.Sprintf(stalled, "Contested", "Deployment module-db: HorizontalPodAutoscaler web keeps changing fields that gati-webhook manages; stop it from changing them."), &m)
		f.Modules = known([]v1.GatiModule{m})
	},
	"stalled-by-itself": func(f *checkup.Facts) {
		decode(`{"status":{"conditions":[{"type":"Stalled","status":"True","reason":"Rejected","message":"v2 failed."}]}}`, &f.Handlers.Value[0])
	},
	"obstacles-unread": func(f *checkup.Facts) { f.Modules = unread[[]v1.GatiModule]() },
	"no-gateway-api": func(f *checkup.Facts) {
		delete(f.Served.Value, "gateway.networking.k8s.io")
		f.Routes.Absent, f.GatewayClasses.Absent = true, true
	},
	"no-gateway-class": func(f *checkup.Facts) { f.GatewayClasses.Value = nil },
	"gateway-class":    func(f *checkup.Facts) { f.GatewayClasses.Value[0].Status.Conditions = nil },
	"route-refused": func(f *checkup.Facts) {
		f.Routes.Value[0].Status.Parents[0].Conditions[0] = checkup.Condition{Type: "Accepted", Status: "False", Message: "no such listener"}
	},
	"route-unclaimed":     func(f *checkup.Facts) { f.Routes.Value[0].Status.Parents = nil },
	"no-metrics":          func(f *checkup.Facts) { f.MetricsAPI = absent[checkup.Conditioned]() },
	"metrics-unavailable": func(f *checkup.Facts) { f.MetricsAPI.Value.Status.Conditions[0].Status = "False" },
	"no-prometheus":       func(f *checkup.Facts) { f.Prometheus.Value = "" },
	"prometheus-gone":     func(f *checkup.Facts) { f.PrometheusPods = absent[int]() },
	"prometheus-down":     func(f *checkup.Facts) { f.PrometheusPods.Value = 0 },
	"prometheus-outside":  func(f *checkup.Facts) { f.PrometheusPods = unread[int]() },
}

// TestBreakages holds what is said of each: beside "nothing", only what differs
// from a cluster that is well.
func TestBreakages(t *testing.T) {
	well := map[string]bool{}
	for _, f := range checkup.After(healthy()) {
		well[line(f)] = true
	}
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(breakages)) {
		f := healthy()
		breakages[name](f)
		got.WriteString("# " + name + "\n")
		for _, found := range checkup.After(f) {
			if name == "nothing" || !well[line(found)] {
				got.WriteString(line(found))
			}
			if found.Level == checkup.Problem && found.Hint == "" {
				t.Errorf("%s: %s says nothing of what to do", name, found.Check)
			}
		}
	}
	golden.Compare(t, "breakages.txt", got.String())
}

func TestBefore(t *testing.T) {
	f := healthy()
	f.Installing = known([]checkup.Right{{Resource: "namespaces", Allowed: true}, {Resource: "flowschemas"}, {Resource: "priorityclasses"}})
	var got strings.Builder
	for _, found := range checkup.Before(f) {
		got.WriteString(line(found))
	}
	golden.Compare(t, "before.txt", got.String())
}

// withheld makes each fact one that could not be read, and names the checks that need it.
var withheld = map[string]struct {
	hide   func(*checkup.Facts)
	checks []string
}{
	"server":      {func(f *checkup.Facts) { f.Server = unread[checkup.Version]() }, []string{"server-version"}},
	"served":      {func(f *checkup.Facts) { f.Served = unread[map[string][]string]() }, []string{"server-apis", "gateway"}},
	"crds":        {func(f *checkup.Facts) { f.CRDs[handlersCRD] = unread[checkup.CRD]() }, []string{"crds", "stored-versions", "ca-bundle", "certificates", "skew"}},
	"hooks":       {func(f *checkup.Facts) { f.Hooks["Validating"] = unread[checkup.HookConfiguration]() }, []string{"hooks", "ca-bundle", "certificates"}},
	"policies":    {func(f *checkup.Facts) { f.Policies["gati-requests"] = unread[checkup.Policy]() }, []string{"policies"}},
	"bindings":    {func(f *checkup.Facts) { f.Bindings["gati-requests"] = unread[checkup.Binding]() }, []string{"policies"}},
	"deployment":  {func(f *checkup.Facts) { f.Deployment = unread[checkup.Deployment]() }, []string{"gati-webhook", "skew"}},
	"controllers": {func(f *checkup.Facts) { f.Controllers = unread[checkup.Deployment]() }, []string{"gati-controller", "skew"}},
	"secrets":     {func(f *checkup.Facts) { f.Secrets["gati-webhook-tls"] = unread[[]byte]() }, []string{"certificates"}},
	"trials": {func(f *checkup.Facts) {
		f.Trials["v1"], f.Trials["v1alpha1"] = unread[checkup.Trial](), unread[checkup.Trial]()
	}, []string{"admission", "conversion"}},
	"rights":          {func(f *checkup.Facts) { f.Rights = unread[[]checkup.Right]() }, []string{"rights"}},
	"a right":         {func(f *checkup.Facts) { f.Rights = known([]checkup.Right{{Allowed: true}, {Unread: "forbidden"}}) }, []string{"rights"}},
	"installing":      {func(f *checkup.Facts) { f.Installing = unread[[]checkup.Right]() }, []string{"install-rights"}},
	"gateway classes": {func(f *checkup.Facts) { f.GatewayClasses = unread[[]checkup.GatewayClass]() }, []string{"gateway"}},
	"routes":          {func(f *checkup.Facts) { f.Routes = unread[[]checkup.Route]() }, []string{"routes"}},
	"metrics":         {func(f *checkup.Facts) { f.MetricsAPI = unread[checkup.Conditioned]() }, []string{"metrics-api"}},
	"prometheus":      {func(f *checkup.Facts) { f.Prometheus = unread[string]() }, []string{"prometheus"}},
	"its pods":        {func(f *checkup.Facts) { f.PrometheusPods = unread[int]() }, []string{"prometheus"}},
	"handlers, of missing objects": {func(f *checkup.Facts) {
		breakages["no-gateway-api"](f)
		f.Handlers, f.MetricsAPI, f.Prometheus.Value = unread[[]v1.GatiHandler](), absent[checkup.Conditioned](), ""
	}, []string{"gateway", "metrics-api", "prometheus", "obstacles"}},
	"modules": {func(f *checkup.Facts) { f.Modules = unread[[]v1.GatiModule]() }, []string{"obstacles"}},
}

// What could not be read is never well and never wrong.
func TestUnreadIsUnknown(t *testing.T) {
	all := healthy()
	for name, w := range withheld {
		f := healthy()
		w.hide(f)
		checkUnknown(t, name, f, w.checks...)
		if !strings.HasPrefix(name, "handlers") {
			w.hide(all)
		}
	}
	for _, found := range append(checkup.Before(all), checkup.After(all)...) {
		if found.Level != checkup.Unknown {
			t.Errorf("nothing is known: %s", line(found))
		}
	}
}

// checkUnknown wants nothing but unknown findings, with the reason, of some checks.
func checkUnknown(t *testing.T, name string, f *checkup.Facts, checks ...string) {
	t.Helper()
	told := map[string]bool{}
	for _, found := range append(checkup.Before(f), checkup.After(f)...) {
		if !slices.Contains(checks, found.Check) {
			continue
		}
		told[found.Check] = told[found.Check] || strings.Contains(found.Message, "forbidden")
		if found.Level != checkup.Unknown {
			t.Errorf("%s: %s", name, line(found))
		}
	}
	for _, check := range checks {
		if !told[check] {
			t.Errorf("%s: %s does not say why it is unknown", name, check)
		}
	}
}

func line(f checkup.Finding) string {
	return fmt.Sprintf("%s %s [%s] %s | %s\n", f.Level, f.Check, f.Object, f.Message, f.Hint)
}

func ours() []v1.GatiHandler {
	var h v1.GatiHandler
	decode(`{"metadata":{"namespace":"shop","name":"users"},"spec":{"path":"/users","route":{"parentRefs":[{"name":"public"}]},"autoscaling":{"enabled":true},"rollout":{"analysis":{}}}}`, &h)
	return []v1.GatiHandler{h}
}
