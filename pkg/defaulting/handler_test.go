package defaulting_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
)

var here = facts.Facts{Namespace: "shop"}

func TestImage(t *testing.T) {
	tests := map[string]struct {
		image, namespaces string

		wantImage, wantVersion string
		wantErr                string
	}{
		"the spec's":             {image: "app:v2", wantImage: "app:v2", wantVersion: "v2"},
		"the spec's comes first": {image: "app:v2", namespaces: "shop:v9", wantImage: "app:v2", wantVersion: "v2"},
		"the namespace's":        {namespaces: "shop:v9", wantImage: "shop:v9", wantVersion: "v9"},
		"none": {
			wantVersion: "v1",
			wantErr:     "spec.image: Required value: no image is known; set spec.image, or name the application's image once for the namespace: kubectl annotate namespace shop gati.dev/image=<image>",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts.Facts{Namespace: "shop", NamespaceImage: tc.namespaces}
			handler, errs := defaulting.ResolveHandler(&builders.MakeHandler("a").Image(tc.image).Obj().Spec, f)
			module, moduleErrs := defaulting.ResolveModule("a", &builders.MakeModule("a").Image(tc.image).Obj().Spec, f)
			if handler.Image != tc.wantImage || handler.Spec.Image != tc.wantImage || module.Image != tc.wantImage || module.Spec.Image != tc.wantImage {
				t.Errorf("images %q, %q, %q, %q; want %q", handler.Image, handler.Spec.Image, module.Image, module.Spec.Image, tc.wantImage)
			}
			if handler.Version != tc.wantVersion {
				t.Errorf("version %q, want %q", handler.Version, tc.wantVersion)
			}
			for kind, err := range map[string]string{"handler": text(errs.ToAggregate()), "module": text(moduleErrs.ToAggregate())} {
				if diff := cmp.Diff(tc.wantErr, err); diff != "" {
					t.Errorf("%s's error (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
}

func TestVersion(t *testing.T) {
	tests := map[string]struct{ version, image, want, wantNote string }{
		"set":                     {"v3", "app:v2", "v3", ""},
		"Timescape id":            {"tsv:1732186200-users-001", "app:v2", "tsv:1732186200-users-001", ""},
		"from the tag":            {"", "app:v2.1", "v2.1", "version v2.1 from the tag of image app:v2.1"},
		"from the tag, no v":      {"", "app:20", "20", "version 20 from the tag of image app:20"},
		"the tag is none":         {"", "app:latest", "v1", "version v1, because the tag of image app:latest is no version"},
		"no tag":                  {"", "registry:5000/app", "v1", "version v1, because the tag of image registry:5000/app is no version"},
		"tag and digest":          {"", "app:v4@sha256:0", "v4", "version v4 from the tag of image app:v4@sha256:0"},
		"a digest is no version":  {"", "app@sha256:123", "v1", "version v1, because the tag of image app@sha256:123 is no version"},
		"pre-release in the tag":  {"", "app:v1.0.0-rc.1", "v1.0.0-rc.1", "version v1.0.0-rc.1 from the tag of image app:v1.0.0-rc.1"},
		"a port looks like a tag": {"", "registry:5000/a/b", "v1", "version v1, because the tag of image registry:5000/a/b is no version"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := defaulting.ResolveHandler(&builders.MakeHandler("a").Version(tc.version).Image(tc.image).Obj().Spec, here)
			if len(errs) > 0 || got.Version != tc.want || string(got.Spec.Version) != tc.want {
				t.Errorf("version %q, %q, errors %v; want %q", got.Version, got.Spec.Version, errs, tc.want)
			}
			if tc.wantNote != "" && got.Derived[0] != tc.wantNote {
				t.Errorf("derived %q, want %q", got.Derived, tc.wantNote)
			}
		})
	}
}

func TestResources(t *testing.T) {
	derived := `{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"cpu":"500m","memory":"512Mi"}}`
	cpu := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	tests := map[string]struct {
		set  *v1.Resources
		want string
	}{
		"absent":              {nil, derived},
		"empty":               {&v1.Resources{}, derived},
		"empty lists":         {&v1.Resources{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}, derived},
		"only a request":      {&v1.Resources{Requests: cpu}, `{"requests":{"cpu":"2"}}`},
		"only a limit":        {&v1.Resources{Limits: cpu}, `{"limits":{"cpu":"2"}}`},
		"a resource of yours": {&v1.Resources{Limits: corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}}, `{"limits":{"example.com/gpu":"1"}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			spec := builders.MakeHandler("a").Image("i").Spec(func(s *v1.GatiHandlerSpec) { s.Resources = tc.set }).Obj().Spec
			got, _ := defaulting.ResolveHandler(&spec, here)
			if diff := cmp.Diff(decoded(t, []byte(tc.want)), decoded(t, encoded(t, got.Spec.Resources))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Resolving a resolved spec changes nothing, and the input is never changed.
func TestResolvingHandlersIsIdempotentAndLeavesTheInput(t *testing.T) {
	source := random.New(t)
	for i := range 500 {
		spec := source.HandlerSpec()
		before := string(encoded(t, spec))
		f := facts.Facts{Namespace: "shop", NamespaceImage: []string{"", "shop:v7"}[i%2]}
		once, _ := defaulting.ResolveHandler(&spec, f)
		if after := string(encoded(t, spec)); after != before {
			t.Fatalf("spec %d was changed (-before +after):\n%s", i, cmp.Diff(before, after))
		}
		first := string(encoded(t, once.Spec))
		twice, _ := defaulting.ResolveHandler(&once.Spec, f)
		if second := string(encoded(t, twice.Spec)); second != first {
			t.Fatalf("spec %d resolves further (-once +twice):\n%s", i, cmp.Diff(first, second))
		}
		if once.Version != twice.Version || once.Image != twice.Image || !sameScale(once.Scale, twice.Scale) {
			t.Fatalf("spec %d: %+v became %+v", i, once, twice)
		}
	}
}

// The result shares no memory with the input, so changing it does not change a user's
// object.
func TestResolvedSharesNothingWithTheInput(t *testing.T) {
	source := random.New(t)
	for range 300 {
		spec := source.HandlerSpec()
		got, _ := defaulting.ResolveHandler(&spec, here)
		if path := random.SharedMemory(&spec, &got.Spec); path != "" {
			t.Fatalf("spec%s is the user's own", path)
		}
	}
}

func sameScale(a, b defaulting.Scale) bool {
	return a.Replicas == b.Replicas && a.Auto == b.Auto && a.Min == b.Min && a.Max == b.Max && a.CPU == b.CPU && a.Memory == b.Memory
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
