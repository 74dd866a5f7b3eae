package expand_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestCorpusHasEveryCase holds that each object below has its entry. The name of
// an entry has the hash of its spec, so an object that changes asks for a new
// entry, and the one that was stays. With -update what is missing is added; what
// is there is never written again.
func TestCorpusHasEveryCase(t *testing.T) {
	for name, obj := range corpusCases(t) {
		spec := document(t, obj)
		sum := sha256.Sum256(spec)
		dir := filepath.Join(corpus, name+"-"+hex.EncodeToString(sum[:4]))
		if _, err := os.Stat(dir); err == nil {
			continue
		}
		if !*update {
			t.Errorf("%s is missing; go test ./pkg/expand -update adds it", dir)
			continue
		}
		add(t, dir, obj, spec)
	}
	if *update {
		sumUp(t)
	}
}

// add writes a new entry: what the code of today makes of the object.
func add(t *testing.T, dir string, obj client.Object, spec []byte) {
	t.Helper()
	template := find[*appsv1.Deployment](t, plan(t, obj)).Spec.Template
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		entrySpec: spec, entryCut: document(t, revisionObject(t, obj, cut(t, obj))), entryRunning: document(t, &template),
	}
	if h, ok := obj.(*v1.GatiHandler); ok {
		_, earlier := intentFor(t, h, cut(t, obj).Name)
		files[entryIntent] = []byte(earlier)
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func document(t *testing.T, obj any) []byte {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	raw, err := yaml.Marshal(withoutNulls(content))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// corpusCases are the objects that the corpus has an entry of, as the API server
// stores them: with the static defaults.
func corpusCases(t *testing.T) map[string]client.Object {
	t.Helper()
	out := samples(t)
	for name, obj := range shown() {
		out[name] = obj
	}
	for name, obj := range corners() {
		out[name] = obj
	}
	for _, obj := range out {
		switch o := obj.(type) {
		case *v1.GatiHandler:
			o.Spec.SetDefaults()
		case *v1.GatiModule:
			o.Spec.SetDefaults()
		}
	}
	return out
}

// corners are specs that a hash or a template could easily take for others.
func corners() map[string]client.Object {
	handler := func() *builders.Handler { return builders.MakeHandler("users").UID("u1").Image("app:v1.0.0") }
	module := func() *builders.Module { return builders.MakeModule("db").UID("u2").Image("db:v1.0.0") }
	return map[string]client.Object{
		"handler-every-field":    everyField().Obj(),
		"module-every-field":     everyModuleField().Obj(),
		"handler-tag":            handler().Obj(),
		"handler-tag-no-version": handler().Image("app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef").Obj(),
		"handler-tsv":            handler().Version("tsv:1732186200-users-001").Obj(),
		"handler-prerelease":     handler().Version("v1.2.3-rc.1").Obj(),
		"handler-empty-pod":      handler().Pod(v1.PodSettings{}).Obj(),
		"handler-canary":         handler().Version("v1.2.3").Strategy(v1.StrategyCanary).Step(10, "5m").Gateway("front").Obj(),
		"handler-manual":         handler().Version("tsv:1732186200-users-001").Strategy(v1.StrategyManual).Gateway("front").Obj(),
		"handler-analysis":       judged(handler()).Obj(),
		"handler-planned-steps":  handler().Strategy(v1.StrategyCanary).Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.AutoSteps = &v1.AutoSteps{Harm: new(int32(50))} }).Obj(),
		"handler-analysis-off":   handler().Strategy(v1.StrategyCanary).Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.Analysis = &v1.Analysis{Enabled: new(bool)} }).Obj(),
		"handler-checks":         checked(handler()).Obj(),
		"handler-limits-only":    handler().Resources(v1.Resources{Limits: quantity("cpu", "1")}).Obj(),
		"handler-quantities":     handler().Resources(v1.Resources{Requests: quantity("memory", "1024Mi")}).Obj(),
		"handler-order":          handler().Env("B", "$(A)").Env("A", "1").Modules("z", "a").Obj(),
		"handler-own-host":       handler().Env("HOST", "::").Env("PORT", "1").Env("INSTANCE_ID", "x").Obj(),
		"handler-unicode":        handler().Env("GREETING", "grüß \"dich\" <&>\n\u2028").Obj(),
		"handler-port":           handler().Port(8080).Obj(),
		"handler-long-name":      builders.MakeHandler("a-name-of-forty-characters-as-the-bound").UID("u1").Image("app:v1.0.0").Obj(),
		"handler-containers":     handler().Pod(everyContainer()).Obj(),
		"module-containers":      module().Pod(everyContainer()).Obj(),
		"module-bare":            module().Obj(),
		"module-two-settings":    module().Config("B", "2").Config("A", "1").Env("C", "3").Obj(),
		"module-token":           module().Capabilities(v1.CapabilitySecretsRead, v1.CapabilityStorage).Pod(v1.PodSettings{ServiceAccountName: "reader"}).Obj(),
	}
}

func quantity(name corev1.ResourceName, value string) corev1.ResourceList {
	return corev1.ResourceList{name: resource.MustParse(value)}
}
