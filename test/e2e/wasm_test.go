package e2e

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	registryv1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/repository"
)

// wasmClasses is the operator's configuration: one runtime that nodes have, and one whose
// RuntimeClass is missing.
const wasmClasses = `runtime-classes: {wazero: wazero, wasmtime: wasmtime-missing}
`

// wasmImage has a WebAssembly module and nothing else.
const wasmImage = "gati.dev/greeter:v1.0.0"

// TestWasmModules holds that a module of type wasm is run by the RuntimeClass that its
// runtime is mapped to, and that it says so where there is none.
func TestWasmModules(t *testing.T) {
	withConfiguration(t, wasmClasses)

	t.Run("it runs and answers", func(t *testing.T) {
		given, _, then := scenario(t)

		given.theImageOfAWasmModule()
		given.aWasmModule("greeter", "wazero")
		then.theModuleIsReady("greeter")
		given.aHandler(setModules("greeter"))
		then.itReachesByItsVariables("GREETER")
		then.webAssemblyAnswers("GREETER", "wazero")
	})
	t.Run("its RuntimeClass is missing", func(t *testing.T) {
		given, _, then := scenario(t)

		given.theImageOfAWasmModule()
		given.aWasmModule("greeter", "wasmtime")
		then.theModuleIsStalled("greeter", `RuntimeClass "wasmtime-missing" not found`)
	})
	t.Run("its runtime is not mapped", func(t *testing.T) {
		given, _, then := scenario(t)

		given.theImageOfAWasmModule()
		given.aWasmModule("greeter", "spin")
		then.theModuleIsStalled("greeter", "no RuntimeClass", `no entry for the runtime "spin"`)
	})
}

// aWasmModule is applied, and may never run.
func (g given) aWasmModule(name, runtime string) {
	g.t.Helper()
	g.gatiIsInstalled()
	g.aNamespace()
	m := builders.MakeModule(name).Namespace(g.ns).Type(v1.ModuleWasm).ModuleName(name).Runtime(runtime).Image(wasmImage).Replicas(1).
		Pod(v1.PodSettings{ImagePullPolicy: corev1.PullIfNotPresent}).
		Spec(func(s *v1.GatiModuleSpec) { s.Rollout = &v1.ModuleRollout{ProgressDeadline: "1m"} }).Obj()
	if err := admin.Apply(g.t.Context(), toApplyConfiguration(g.t, m), client.FieldOwner("kubectl")); err != nil {
		g.t.Fatal(err)
	}
	g.logStep("given the module %s of type wasm, runtime %s", name, runtime)
}

// theImageOfAWasmModule compiles the module and gives the node an image of it.
func (g given) theImageOfAWasmModule() {
	g.t.Helper()
	dir := g.t.TempDir()
	program, archive := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "image.tar")
	g.runProgram(repository.Path(), "env", "GOOS=wasip1", "GOARCH=wasm", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./test/e2e/testdata/greeter")
	if err := writeProgramImage(program, archive); err != nil {
		g.t.Fatal(err)
	}
	if err := cluster.LoadImage(g.t.Context(), archive); err != nil {
		g.t.Fatal(err)
	}
	g.logStep("given the image %s, which is WebAssembly alone", wasmImage)
}

// writeProgramImage writes an image of one file, which is its entrypoint.
func writeProgramImage(program, archive string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "app.wasm", Mode: 0o755, Size: int64(len(content))}); err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil })
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = registryv1.Config{Entrypoint: []string{"/app.wasm"}}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag(wasmImage)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(archive, tag, image)
}

func (n then) theModuleIsReady(name string) {
	n.t.Helper()
	n.eventually("module that is Ready", func() error {
		m, err := n.readModule(name)
		if err != nil {
			return err
		}
		return checkReadyCondition(m.Status.Conditions, m.Generation)
	})
	n.logStep("then the module %s is Ready", name)
}

// theModuleIsStalled waits for the condition, and for what it says.
func (n then) theModuleIsStalled(name string, says ...string) {
	n.t.Helper()
	var message string
	n.eventually("module that is Stalled", func() error {
		m, err := n.readModule(name)
		if err != nil {
			return err
		}
		if c := meta.FindStatusCondition(m.Status.Conditions, v1.ConditionReady); c != nil {
			message = c.Message
		}
		if !meta.IsStatusConditionTrue(m.Status.Conditions, v1.ConditionStalled) {
			return fmt.Errorf("it is not: %s", message)
		}
		return checkContains(meta.FindStatusCondition(m.Status.Conditions, v1.ConditionStalled).Message, says...)
	})
	n.logStep("then the module %s is Stalled: %s", name, message)
}

func (n then) readModule(name string) (*v1.GatiModule, error) {
	m := &v1.GatiModule{}
	return m, admin.Get(n.t.Context(), client.ObjectKey{Namespace: n.ns, Name: name}, m)
}

// readModule returns run inside a handler's container. It prints what a module answers.
const readModule = `
const name = process.argv[1];
fetch('http://' + process.env['GATI_MODULE_' + name] + ':' + process.env['GATI_MODULE_' + name + '__PORT'] + '/', { signal: AbortSignal.timeout(9000) })
  .then((r) => r.text()).then(console.log).catch((e) => { console.error(e); process.exit(1); });`

// webAssemblyAnswers wants an answer that only WebAssembly in a sandbox without files can give.
func (n then) webAssemblyAnswers(name, runtime string) {
	n.t.Helper()
	pods, err := n.handlerPods()
	if err != nil || len(pods) == 0 {
		n.t.Fatalf("%d pods, error %v", len(pods), err)
	}
	var got struct{ Runs, Runtime, Files string }
	if err := json.Unmarshal([]byte(n.runKubectl("", "exec", pods[0].Name, "--", "/usr/bin/node", "-e", readModule, name)), &got); err != nil {
		n.t.Fatal(err)
	}
	if got.Runs != "wasip1/wasm" || got.Runtime != runtime || !strings.Contains(got.Files, "Bad file number") {
		n.t.Errorf("the module answers %+v, want WebAssembly without files by %s", got, runtime)
	}
	n.logStep("then WebAssembly has answered: %+v", got)
}
