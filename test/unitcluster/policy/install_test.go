package policy

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"gati.dev/gati/internal/render"
	"gati.dev/gati/internal/testing/install"
	"gati.dev/gati/pkg/request"
)

// patience is how long an API server may take to use a policy that was written.
const patience = 30 * time.Second

// installAll installs the local overlay, with every verb of a request available.
func installAll(ctx context.Context, h *hookServer) error {
	objects, err := render.Objects(render.Options{Overlay: render.OverlayLocal, URL: h.URL})
	if err != nil {
		return err
	}
	for _, object := range objects {
		addCABundles(object.Object, base64.StdEncoding.EncodeToString(h.caBundle()))
	}
	if err := install.Apply(ctx, config, objects); err != nil {
		return err
	}
	if err := probeHandler(ctx); err != nil {
		return err
	}
	return setAvailable(ctx, request.Verbs())
}

// addCABundles puts a caBundle beside every url.
func addCABundles(value any, bundle string) {
	switch v := value.(type) {
	case map[string]any:
		if url, ok := v["url"].(string); ok && strings.HasPrefix(url, "https://") {
			v["caBundle"] = bundle
		}
		for _, inner := range v {
			addCABundles(inner, bundle)
		}
	case []any:
		for _, inner := range v {
			addCABundles(inner, bundle)
		}
	}
}

// setAvailable makes verbs of requests available and returns when the API server
// goes by it.
func setAvailable(ctx context.Context, verbs []request.Verb) error {
	objects, err := render.Objects(render.Options{Overlay: render.OverlayLocal, URL: hooks.URL})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "ValidatingAdmissionPolicy" && o.GetName() == "gati-requests"
	})
	if i < 0 {
		return fmt.Errorf("the overlay has no policy gati-requests")
	}
	variables, _, err := unstructured.NestedSlice(objects[i].Object, "spec", "variables")
	if err != nil {
		return err
	}
	for _, v := range variables {
		if m := v.(map[string]any); m["name"] == "available" {
			m["expression"] = listOf(verbs)
		}
	}
	if err := unstructured.SetNestedSlice(objects[i].Object, variables, "spec", "variables"); err != nil {
		return err
	}
	if err := install.Apply(ctx, config, objects[i:i+1]); err != nil {
		return err
	}
	want := "admitted"
	if !slices.Contains(verbs, request.Override) {
		want = "is not available in this release"
	}
	return awaitProbe(ctx, want)
}

func listOf(verbs []request.Verb) string {
	var quoted []string
	for _, v := range verbs {
		quoted = append(quoted, "'"+string(v)+"'")
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// probeHandler writes the handler that awaitProbe asks things of.
func probeHandler(ctx context.Context) error {
	h := makeHandler("v1", "default", "probe", "path: /probe\nimage: app:v1")
	// The hooks may need a moment, too.
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return admin.Create(ctx, h.DeepCopy()) == nil, nil
	})
}

// awaitProbe waits until all policies hold: the request that is not always
// available is answered as wanted, and
// a forged one is refused.
func awaitProbe(ctx context.Context, want string) error {
	var last string
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		good := describeOutcome(patchRequest(ctx, rootClient(), "v1", "default", "probe", "override:allow-breaking/"+nthUUID(1), rootName, dryRun))
		bad := describeOutcome(patchRequest(ctx, rootClient(), "v1", "default", "probe", "pause/"+nthUUID(1), "somebody-else", dryRun))
		last = good
		return strings.Contains(good, want) && bad != "admitted", nil
	})
	if err != nil {
		return fmt.Errorf("wait for the policies to hold, last answer %q: %w", last, err)
	}
	return nil
}
