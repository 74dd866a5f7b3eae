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

// userWithOnly is a user who may update handlers and has one verb, userWithAllBut one who has
// all verbs but that one.
func userWithOnly(verb string) string   { return "only-" + verb }
func userWithAllBut(verb string) string { return "all-but-" + verb }

func grantVerbs(t *testing.T) {
	makeNamespace(t, shop)
	write := []string{"get", "create", "update", "patch"}
	handlers := []string{"gatihandlers"}
	for _, v := range request.Verbs() {
		var others []string
		for _, o := range request.Verbs() {
			if o != v {
				others = append(others, string(o))
			}
		}
		grantRights(t, shop, userWithOnly(string(v)), makeRule("gati.dev", handlers, append(slices.Clone(write), string(v))))
		grantRights(t, shop, userWithAllBut(string(v)), makeRule("gati.dev", handlers, append(slices.Clone(write), others...)))
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
		who := userWithAllBut(s.verb)
		return s.patchRequest(ctx, clientOf(who), s.ask+"/"+nthUUID(1), who)
	}},
	{"forged requester", func(ctx context.Context, s subject) error {
		return s.patchRequest(ctx, clientOf(userWithOnly(s.verb)), s.ask+"/"+nthUUID(1), "system:admin")
	}},
	{"requester left out", func(ctx context.Context, s subject) error {
		return s.patchRequest(ctx, clientOf(userWithOnly(s.verb)), s.ask+"/"+nthUUID(1), "")
	}},
	{"with the right", func(ctx context.Context, s subject) error {
		who := userWithOnly(s.verb)
		return s.patchRequest(ctx, clientOf(who), s.ask+"/"+nthUUID(1), who)
	}},
	{"unrelated write by one without the right", func(ctx context.Context, s subject) error {
		return mergeMeta(ctx, clientOf(userWithAllBut(s.verb)), s.version, shop, s.name, map[string]any{"example.com/team": "a"})
	}},
	{"requester taken over", func(ctx context.Context, s subject) error {
		who := rootName
		return s.patchRequest(ctx, rootClient(), s.ask+"/"+nthUUID(1), who)
	}},
	{"the same UUID again", func(ctx context.Context, s subject) error {
		return s.patchRequest(ctx, rootClient(), "pause/"+strings.ToUpper(nthUUID(1)), rootName)
	}},
	{"copied by get | create", func(ctx context.Context, s subject) error {
		return s.createCopy(ctx, clientOf(userWithOnly(s.verb)))
	}},
	{"the next request", func(ctx context.Context, s subject) error {
		who := userWithOnly(s.verb)
		return s.patchRequest(ctx, clientOf(who), s.ask+"/"+nthUUID(2), who)
	}},
	{"re-applied by an older manifest, kubectl apply", func(ctx context.Context, s subject) error {
		who := userWithOnly(s.verb)
		old := map[string]any{v1.AnnotationRequest: s.ask + "/" + nthUUID(1), v1.AnnotationRequestedBy: who}
		old["kubectl.kubernetes.io/last-applied-configuration"] = fmt.Sprintf(`{"metadata":{"annotations":{"gati.dev/request":"%s/%s"}}}`, s.ask, nthUUID(1))
		return mergeMeta(ctx, clientOf(who), s.version, shop, s.name, old)
	}},
	{"re-applied by an older manifest, kubectl apply --server-side", func(ctx context.Context, s subject) error {
		return s.applyRequest(ctx, clientOf(userWithOnly(s.verb)), userWithOnly(s.verb))
	}},
	{"re-applied by an older manifest, kubectl replace, by another user", func(ctx context.Context, s subject) error {
		return s.replaceRequest(ctx, rootClient(), userWithOnly(s.verb))
	}},
	// Each UUID is acted upon once, so this changes nothing; whether it was is in
	// the status, and the controller's to know.
	{"re-applied by an older manifest, kubectl replace, by the requester, dry run", func(ctx context.Context, s subject) error {
		return s.replaceRequest(ctx, clientOf(userWithOnly(s.verb)), userWithOnly(s.verb), client.DryRunAll)
	}},
	{"re-applied by a manifest without a request", func(ctx context.Context, s subject) error {
		h := makeHandler(s.version, shop, s.name, plainSpec(s.version))
		return clientOf(userWithAllBut(s.verb)).Apply(ctx, client.ApplyConfigurationFromUnstructured(h), client.FieldOwner("ci"), client.ForceOwnership)
	}},
	{"one of the two removed", func(ctx context.Context, s subject) error {
		return mergeMeta(ctx, rootClient(), s.version, shop, s.name, map[string]any{v1.AnnotationRequestedBy: nil})
	}},
	{"both removed by one without the right", func(ctx context.Context, s subject) error {
		return s.patchRequest(ctx, clientOf(userWithAllBut(s.verb)), "", "")
	}},
}

func (s subject) patchRequest(ctx context.Context, c client.Client, req, by string) error {
	return patchRequest(ctx, c, s.version, shop, s.name, req, by)
}

func (s subject) readHandler(ctx context.Context) (*unstructured.Unstructured, error) {
	h := makeHandler(s.version, shop, s.name, "{}")
	return h, admin.Get(ctx, client.ObjectKeyFromObject(h), h)
}

// createCopy creates what get has shown under another name.
func (s subject) createCopy(ctx context.Context, c client.Client) error {
	h, err := s.readHandler(ctx)
	if err != nil {
		return err
	}
	h.SetName(s.name + "-copy")
	h.SetResourceVersion("")
	h.SetUID("")
	return c.Create(ctx, h)
}

// applyRequest applies a manifest with the first request, which another has followed.
func (s subject) applyRequest(ctx context.Context, c client.Client, by string) error {
	h := makeHandler(s.version, shop, s.name, plainSpec(s.version))
	h.SetAnnotations(map[string]string{v1.AnnotationRequest: s.ask + "/" + nthUUID(1), v1.AnnotationRequestedBy: by})
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(h), client.FieldOwner("kubectl"), client.ForceOwnership)
}

// replaceRequest is applyRequest by PUT.
func (s subject) replaceRequest(ctx context.Context, c client.Client, by string, o ...client.UpdateOption) error {
	h, err := s.readHandler(ctx)
	if err != nil {
		return err
	}
	h.SetAnnotations(map[string]string{v1.AnnotationRequest: s.ask + "/" + nthUUID(1), v1.AnnotationRequestedBy: by})
	return c.Update(ctx, h, o...)
}

// tryTable tries everything on a handler for each thing to ask. The handlers are
// made first: without gati-webhook there are no new ones.
func tryTable(t *testing.T, version string, stopped bool) *record {
	t.Helper()
	var subjects []subject
	for i, ask := range asks {
		s := subject{version: version, name: fmt.Sprintf("h%d-%s", i, verbOf(ask)), verb: verbOf(ask), ask: ask}
		h := makeHandler(version, shop, s.name, plainSpec(version))
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
		hooks.stopAnswering(t)
	}
	out := &record{}
	for _, s := range subjects {
		for _, try := range tries {
			out.addLine(s.ask+", "+try.name, describeOutcome(try.do(t.Context(), s)))
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
	t.Run("v1", func(t *testing.T) { tryTable(t, "v1", false).compareGolden(t, "requests.txt") })
	if chosen() {
		t.Run("v1alpha1", func(t *testing.T) { tryTable(t, "v1alpha1", false).compareGolden(t, "requests.txt") })
	}
	if chosen() {
		t.Run("v1, stopped", func(t *testing.T) { tryTable(t, "v1", true).compareGolden(t, "requests.txt") })
	}
	t.Run("v1alpha1, stopped", func(t *testing.T) {
		hooks.stopAnswering(t)
		err := patchRequest(t.Context(), rootClient(), "v1alpha1", "default", "probe", "pause/"+nthUUID(1), rootName, dryRun)
		if !strings.Contains(describeOutcome(err), "conversion webhook") {
			t.Errorf("want the conversion's error, got: %v", err)
		}
	})
}

// TestPromoteUnderManual is refused with the way to set the traffic.
func TestPromoteUnderManual(t *testing.T) {
	grantVerbs(t)
	out := &record{}
	for _, strategy := range []string{"RollingUpdate", "Canary", "Manual"} {
		h := makeHandler("v1", shop, "promoted", "{path: /a, image: 'app:v1', rollout: {strategy: "+strategy+"}}")
		if err := admin.Create(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		for _, ask := range asks {
			who := userWithOnly(verbOf(ask))
			out.addLine(strategy+", "+ask, describeOutcome(patchRequest(t.Context(), clientOf(who), "v1", shop, "promoted", ask+"/"+nthUUID(1), who, dryRun)))
		}
		if err := admin.Delete(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	out.compareGolden(t, "requests-strategies.txt")
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
		went := describeOutcome(patchRequest(t.Context(), rootClient(), "v1", "default", "probe", ask+"/"+nthUUID(1), rootName, dryRun))
		out.addLine(ask, went)
		if available := slices.Contains(request.Available(), request.Verb(verbOf(ask))); available != (went == "admitted") {
			t.Errorf("%s: %s", ask, went)
		}
	}
	out.compareGolden(t, "requests-shipped.txt")
}
