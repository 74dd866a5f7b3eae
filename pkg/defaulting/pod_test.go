package defaulting_test

import (
	"slices"
	"strings"
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

func TestPod(t *testing.T) {
	tests := map[string]struct {
		set  *v1.PodSettings
		want string
	}{
		"absent": {nil, `{"automountServiceAccountToken":false,"terminationGracePeriodSeconds":30,"runAsUser":1001,"fsGroup":1001,"readOnlyRootFilesystem":true}`},
		"empty":  {&v1.PodSettings{}, `{"automountServiceAccountToken":false,"terminationGracePeriodSeconds":30,"runAsUser":1001,"fsGroup":1001,"readOnlyRootFilesystem":true}`},
		"the group follows the user": {&v1.PodSettings{RunAsUser: ptr[int64](2000)},
			`{"automountServiceAccountToken":false,"terminationGracePeriodSeconds":30,"runAsUser":2000,"fsGroup":2000,"readOnlyRootFilesystem":true}`},
		"all of it is the user's to choose": {
			&v1.PodSettings{RunAsUser: ptr[int64](5), RunAsGroup: ptr[int64](6), FSGroup: ptr[int64](7), ReadOnlyRootFilesystem: ptr(false), AutomountServiceAccountToken: ptr(true), TerminationGracePeriodSeconds: ptr[int64](60)},
			`{"automountServiceAccountToken":true,"terminationGracePeriodSeconds":60,"runAsUser":5,"runAsGroup":6,"fsGroup":7,"readOnlyRootFilesystem":false}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := defaulting.ResolveHandler(&v1.GatiHandlerSpec{Path: "/", Image: "i", Pod: tc.set}, here)
			if diff := cmp.Diff(decoded(t, []byte(tc.want)), decoded(t, encoded(t, got.Spec.Pod))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestModule(t *testing.T) {
	f := facts.Facts{NamespaceImage: "shop:1", RuntimeClasses: map[string]string{"wasmtime": "wasmtime-spin"}}
	tests := map[string]struct {
		module *builders.Module

		wantName, wantRuntimeClass string
	}{
		"known by its own name":           {builders.MakeModule("db"), "db", ""},
		"known by another name":           {builders.MakeModule("db").ModuleName("database"), "database", ""},
		"wasm, runtime mapped":            {builders.MakeModule("w").Type(v1.ModuleWasm).Runtime("wasmtime"), "w", "wasmtime-spin"},
		"wasm, runtime unknown":           {builders.MakeModule("w").Type(v1.ModuleWasm).Runtime("other"), "w", ""},
		"node, of a runtime that is wasm": {builders.MakeModule("n").Runtime("wasmtime"), "n", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := tc.module.Obj()
			got, errs := defaulting.ResolveModule(m.Name, &m.Spec, f)
			if len(errs) > 0 || got.Spec.ModuleName != tc.wantName || got.RuntimeClass != tc.wantRuntimeClass {
				t.Errorf("name %q, runtime class %q, errors %v; want %q, %q", got.Spec.ModuleName, got.RuntimeClass, errs, tc.wantName, tc.wantRuntimeClass)
			}
		})
	}
}

// A wasm module without a RuntimeClass is told that its image has to bring a runtime.
func TestModulesAreToldOfTheirRuntime(t *testing.T) {
	f := facts.Facts{NamespaceImage: "shop:1", RuntimeClasses: map[string]string{"wasmtime": "wasmtime-spin"}}
	for name, tc := range map[string]struct {
		module *builders.Module
		want   bool
	}{
		"mapped":     {builders.MakeModule("w").Type(v1.ModuleWasm).Runtime("wasmtime"), false},
		"not mapped": {builders.MakeModule("w").Type(v1.ModuleWasm).Runtime("other"), true},
		"no wasm":    {builders.MakeModule("w").Runtime("other"), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := tc.module.Obj()
			got, errs := defaulting.ResolveModule(m.Name, &m.Spec, f)
			const note = `no RuntimeClass is configured for the runtime "other"; the image has to bring a WebAssembly runtime`
			if len(errs) > 0 || slices.Contains(got.Derived, note) != tc.want {
				t.Errorf("derived %q, errors %v; want the note: %v", got.Derived, errs, tc.want)
			}
		})
	}
}

// A module loses what it writes to /data with its pod, unless a volume is mounted
// there.
func TestModulesAreToldOfData(t *testing.T) {
	mounted := v1.PodSettings{VolumeMounts: []v1.VolumeMount{{Name: "v", MountPath: "/data"}}}
	for name, tc := range map[string]struct {
		module *builders.Module
		want   bool
	}{
		"nothing granted":  {builders.MakeModule("db"), false},
		"storage":          {builders.MakeModule("db").Capabilities(v1.CapabilityStorage), true},
		"filesystem:write": {builders.MakeModule("db").Capabilities(v1.CapabilityFilesystemWrite), true},
		"a claim at /data": {builders.MakeModule("db").Capabilities(v1.CapabilityStorage).Pod(mounted), false},
	} {
		got, _ := defaulting.ResolveModule("db", &tc.module.Obj().Spec, facts.Facts{NamespaceImage: "shop:1"})
		if told := strings.Contains(strings.Join(got.Derived, "; "), "/data is emptied with each pod"); told != tc.want {
			t.Errorf("%s: %q", name, got.Derived)
		}
	}
}

func TestResolvingModulesIsIdempotentAndLeavesTheInput(t *testing.T) {
	source := random.New(t)
	f := facts.Facts{NamespaceImage: "shop:1", RuntimeClasses: map[string]string{"wasmtime": "spin"}}
	for i := range 500 {
		spec := source.ModuleSpec()
		before := string(encoded(t, spec))
		once, _ := defaulting.ResolveModule("m", &spec, f)
		if after := string(encoded(t, spec)); after != before {
			t.Fatalf("spec %d was changed (-before +after):\n%s", i, cmp.Diff(before, after))
		}
		twice, _ := defaulting.ResolveModule("m", &once.Spec, f)
		first, second := string(encoded(t, once.Spec)), string(encoded(t, twice.Spec))
		if first != second || once.RuntimeClass != twice.RuntimeClass || !sameScale(once.Scale, twice.Scale) {
			t.Fatalf("spec %d resolves further (-once +twice):\n%s", i, cmp.Diff(first, second))
		}
	}
}

func ptr[T any](v T) *T { return &v }

func resourceList(t *testing.T, cpu string) corev1.ResourceList {
	t.Helper()
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
}
