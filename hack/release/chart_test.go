package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"sigs.k8s.io/yaml"
)

// TestHelmTakesTheReleasedChart runs the commands of docs/release.md, with a registry of
// the test in the place of ours: helm renders the release's install.yaml.
func TestHelmTakesTheReleasedChart(t *testing.T) {
	t.Parallel()
	address := push(t)
	commands := chartCommands(t, address)
	values, rendered := helm(t, commands[0]...), helm(t, append(commands[1], "--skip-tests")...)
	_, digest := releasedImage(t)
	if !strings.Contains(values, "  digest: "+digest+"\n") {
		t.Errorf("the values have another digest than %s:\n%s", digest, values)
	}
	kept := strings.ReplaceAll(rendered, "    helm.sh/resource-policy: keep\n", "")
	if diff := cmp.Diff(documents(t, read(t, released(t), installFile)), documents(t, []byte(kept))); diff != "" {
		t.Errorf("(-%s,+%s):\n%s", installFile, chartFile, diff)
	}
}

// chartCommands returns the arguments of helm in docs/release.md, for this release in the
// registry of the test.
func chartCommands(t *testing.T, address string) (out [][]string) {
	t.Helper()
	page := string(read(t, "../../docs/release.md"))
	for line := range strings.Lines(page) {
		if args, ok := strings.CutPrefix(line, "helm "); ok {
			args = strings.ReplaceAll(strings.TrimSpace(args), "gati.dev/charts", address+"/charts")
			out = append(out, append(strings.Fields(strings.ReplaceAll(args, "0.1.0", "0.0.7")), "--plain-http"))
		}
	}
	if len(out) != 2 {
		t.Fatalf("docs/release.md has the commands %q of helm, want two", out)
	}
	return out
}

// push brings the chart to a registry of the test, and returns where that is.
func push(t *testing.T) string {
	t.Helper()
	index, err := layout.ImageIndexFromPath(layoutOf(t, chartFile))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("the layout has %+v, %v; want one chart", manifest, err)
	}
	chart, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registry.New())
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	tag, err := name.NewTag(address + "/charts/gati:" + manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"])
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, chart); err != nil {
		t.Fatal(err)
	}
	return address
}

func helm(t *testing.T, args ...string) string {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(tool(t, "helm"), args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var shown, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &shown, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("helm %q: %v\n%s", args, err, said.String())
	}
	return shown.String()
}

// documents returns the objects of a stream of YAML, by kind and name. An empty map of
// annotations counts as none.
func documents(t *testing.T, text []byte) map[string]any {
	t.Helper()
	out := map[string]any{}
	for part := range strings.SplitSeq("\n"+string(text), "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(part), &object); err != nil {
			t.Fatal(err)
		}
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			continue
		}
		if annotations, ok := metadata["annotations"]; ok && annotations == nil {
			delete(metadata, "annotations")
		}
		out[object["kind"].(string)+"/"+metadata["name"].(string)] = object
	}
	return out
}
