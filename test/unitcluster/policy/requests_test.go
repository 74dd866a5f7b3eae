package policy

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/test/support/apiserver"
)

// shop is the namespace of the table of requests.
const shop = "shop"

// asks are what a request may say before its UUID.
var asks = []string{
	"promote", "promote:full", "pause", "resume", "abort", "retry", "rollback", "rollback:v1.2.3",
	"restart", "contract", "contract:v2.0.0", "decommission:tsv:1732186200-users-001", "override:allow-breaking",
}

func verbOf(ask string) string {
	verb, _, _ := strings.Cut(ask, ":")
	return verb
}

// granted is a user who may update handlers and has one verb, denied one who has
// all verbs but that one.
func granted(verb string) string { return "only-" + verb }
func denied(verb string) string  { return "all-but-" + verb }

func grantVerbs(t *testing.T) {
	namespace(t, shop)
	write := []string{"get", "create", "update", "patch"}
	handlers := []string{"gatihandlers"}
	for _, v := range request.Verbs() {
		var others []string
		for _, o := range request.Verbs() {
			if o != v {
				others = append(others, string(o))
			}
		}
		grant(t, shop, granted(string(v)), rule("gati.dev", handlers, append(slices.Clone(write), string(v))))
		grant(t, shop, denied(string(v)), rule("gati.dev", handlers, append(slices.Clone(write), others...)))
	}
}

// subject is one handler that requests are made of, in one version of the API.
type subject struct {
	version, name, verb, ask string
}

// tries are the columns of the table, in the order in which they are tried on one
// handler. The first leaves a request behind.
var tries = []struct {
	name string
	do   func(context.Context, subject) error
}{
	{"without the right", func(ctx context.Context, s subject) error {
		who := denied(s.verb)
		return s.annotate(ctx, as(who), s.ask+"/"+uuid(1), who)
	}},
	{"forged requester", func(ctx context.Context, s subject) error {
		return s.annotate(ctx, as(granted(s.verb)), s.ask+"/"+uuid(1), "system:admin")
	}},
	{"requester left out", func(ctx context.Context, s subject) error {
		return s.annotate(ctx, as(granted(s.verb)), s.ask+"/"+uuid(1), "")
	}},
	{"with the right", func(ctx context.Context, s subject) error {
		who := granted(s.verb)
		return s.annotate(ctx, as(who), s.ask+"/"+uuid(1), who)
	}},
	{"unrelated write by one without the right", func(ctx context.Context, s subject) error {
		return mergeMeta(ctx, as(denied(s.verb)), s.version, shop, s.name, map[string]any{"example.com/team": "a"})
	}},
	{"requester taken over", func(ctx context.Context, s subject) error {
		who := rootName
		return s.annotate(ctx, root(), s.ask+"/"+uuid(1), who)
	}},
	{"the same UUID again", func(ctx context.Context, s subject) error {
		return s.annotate(ctx, root(), "pause/"+strings.ToUpper(uuid(1)), rootName)
	}},
	{"copied by get | create", func(ctx context.Context, s subject) error {
		return s.copied(ctx, as(granted(s.verb)))
	}},
	{"the next request", func(ctx context.Context, s subject) error {
		who := granted(s.verb)
		return s.annotate(ctx, as(who), s.ask+"/"+uuid(2), who)
	}},
	{"re-applied by an older manifest, kubectl apply", func(ctx context.Context, s subject) error {
		who := granted(s.verb)
		old := map[string]any{v1.AnnotationRequest: s.ask + "/" + uuid(1), v1.AnnotationRequestedBy: who}
		old["kubectl.kubernetes.io/last-applied-configuration"] = fmt.Sprintf(`{"metadata":{"annotations":{"gati.dev/request":"%s/%s"}}}`, s.ask, uuid(1))
		return mergeMeta(ctx, as(who), s.version, shop, s.name, old)
	}},
	{"re-applied by an older manifest, kubectl apply --server-side", func(ctx context.Context, s subject) error {
		return s.applied(ctx, as(granted(s.verb)), granted(s.verb))
	}},
	{"re-applied by an older manifest, kubectl replace, by another user", func(ctx context.Context, s subject) error {
		return s.replaced(ctx, root(), granted(s.verb))
	}},
	// Each UUID is acted upon once, so this changes nothing; whether it was is in
	// the status, and the controller's to know.
	{"re-applied by an older manifest, kubectl replace, by the requester, dry run", func(ctx context.Context, s subject) error {
		return s.replaced(ctx, as(granted(s.verb)), granted(s.verb), client.DryRunAll)
	}},
	{"re-applied by a manifest without a request", func(ctx context.Context, s subject) error {
		h := handler(s.version, shop, s.name, plain(s.version))
		return as(denied(s.verb)).Apply(ctx, client.ApplyConfigurationFromUnstructured(h), client.FieldOwner("ci"), client.ForceOwnership)
	}},
	{"one of the two removed", func(ctx context.Context, s subject) error {
		return mergeMeta(ctx, root(), s.version, shop, s.name, map[string]any{v1.AnnotationRequestedBy: nil})
	}},
	{"both removed by one without the right", func(ctx context.Context, s subject) error {
		return s.annotate(ctx, as(denied(s.verb)), "", "")
	}},
}

func (s subject) annotate(ctx context.Context, c client.Client, req, by string) error {
	return annotate(ctx, c, s.version, shop, s.name, req, by)
}

func (s subject) live(ctx context.Context) (*unstructured.Unstructured, error) {
	h := handler(s.version, shop, s.name, "{}")
	return h, admin.Get(ctx, client.ObjectKeyFromObject(h), h)
}

// copied creates what get has shown under another name.
func (s subject) copied(ctx context.Context, c client.Client) error {
	h, err := s.live(ctx)
	if err != nil {
		return err
	}
	h.SetName(s.name + "-copy")
	h.SetResourceVersion("")
	h.SetUID("")
	return c.Create(ctx, h)
}

// applied applies a manifest with the first request, which another has followed.
func (s subject) applied(ctx context.Context, c client.Client, by string) error {
	h := handler(s.version, shop, s.name, plain(s.version))
	h.SetAnnotations(map[string]string{v1.AnnotationRequest: s.ask + "/" + uuid(1), v1.AnnotationRequestedBy: by})
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(h), client.FieldOwner("kubectl"), client.ForceOwnership)
}

// replaced is applied by PUT.
func (s subject) replaced(ctx context.Context, c client.Client, by string, o ...client.UpdateOption) error {
	h, err := s.live(ctx)
	if err != nil {
		return err
	}
	h.SetAnnotations(map[string]string{v1.AnnotationRequest: s.ask + "/" + uuid(1), v1.AnnotationRequestedBy: by})
	return c.Update(ctx, h, o...)
}

// table tries everything on a handler for each thing to ask. The handlers are
// made first: without gati-webhook there are no new ones.
func table(t *testing.T, version string, stopped bool) *record {
	t.Helper()
	var subjects []subject
	for i, ask := range asks {
		s := subject{version: version, name: fmt.Sprintf("h%d-%s", i, verbOf(ask)), verb: verbOf(ask), ask: ask}
		h := handler(version, shop, s.name, plain(version))
		if err := admin.Create(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := admin.Delete(context.Background(), h); err != nil {
				t.Error(err)
			}
		})
		subjects = append(subjects, s)
	}
	if stopped {
		hooks.stop(t)
	}
	out := &record{}
	for _, s := range subjects {
		for _, try := range tries {
			out.line(s.ask+", "+try.name, outcome(try.do(t.Context(), s)))
		}
	}
	return out
}

// TestEveryRequest goes through the table in both versions of the API, and in v1 with
// gati-webhook stopped, which changes nothing. The short form has two of the three, "make
// soak NAME=everyRequest" all.
func TestEveryRequest(t *testing.T) {
	chosen := soak.Share(t, "everyRequest", 2)
	t.Log("binaries of", os.Getenv(apiserver.AssetsVariable))
	grantVerbs(t)
	t.Run("v1", func(t *testing.T) { table(t, "v1", false).compare(t, "requests.txt") })
	if chosen() {
		t.Run("v1alpha1", func(t *testing.T) { table(t, "v1alpha1", false).compare(t, "requests.txt") })
	}
	if chosen() {
		t.Run("v1, stopped", func(t *testing.T) { table(t, "v1", true).compare(t, "requests.txt") })
	}
	t.Run("v1alpha1, stopped", func(t *testing.T) {
		hooks.stop(t)
		err := annotate(t.Context(), root(), "v1alpha1", "default", "probe", "pause/"+uuid(1), rootName, dryRun)
		if !strings.Contains(outcome(err), "conversion webhook") {
			t.Errorf("want the conversion's error, got: %v", err)
		}
	})
}

// TestPromoteUnderManual is refused with the way to set the traffic.
func TestPromoteUnderManual(t *testing.T) {
	grantVerbs(t)
	out := &record{}
	for _, strategy := range []string{"RollingUpdate", "Canary", "Manual"} {
		h := handler("v1", shop, "promoted", "{path: /a, image: 'app:v1', rollout: {strategy: "+strategy+"}}")
		if err := admin.Create(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		for _, ask := range asks {
			who := granted(verbOf(ask))
			out.line(strategy+", "+ask, outcome(annotate(t.Context(), as(who), "v1", shop, "promoted", ask+"/"+uuid(1), who, dryRun)))
		}
		if err := admin.Delete(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	out.compare(t, "requests-strategies.txt")
}

// TestRequestsAsShipped holds that what this release acts upon is admitted, and all
// else refused.
func TestRequestsAsShipped(t *testing.T) {
	if err := setAvailable(t.Context(), request.Available()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := setAvailable(context.Background(), request.Verbs()); err != nil {
			t.Error(err)
		}
	}()
	out := &record{}
	for _, ask := range asks {
		went := outcome(annotate(t.Context(), root(), "v1", "default", "probe", ask+"/"+uuid(1), rootName, dryRun))
		out.line(ask, went)
		if available := slices.Contains(request.Available(), request.Verb(verbOf(ask))); available != (went == "admitted") {
			t.Errorf("%s: %s", ask, went)
		}
	}
	out.compare(t, "requests-shipped.txt")
}
