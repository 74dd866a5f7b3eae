package gitops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
	repo "gati.dev/gati/test/support/repository"
)

// isLong is set for the long form of TestFluxSyncs.
var isLong = soak.IsLong("fluxSyncs")

// TestFluxSyncs applies the objects that gati-webhook has committed for Flux, by the
// commands of docs/targets.md, to an API server with Flux's own CRDs: none has a field
// that these lack. GATI_SOAK=fluxSyncs then builds Flux's source-controller and
// kustomize-controller, which apply the repository in stories of the other tests. That they
// put back what others changed is Flux's, and that they find no drift test/cluster/rollout's.
func TestFluxSyncs(t *testing.T) {
	installFlux(t)
	await.Eventually(t, "the objects for Flux", func() error {
		bare := gittest.Open(t, folder)
		if bare.Git("branch", "--list", "main") == "" {
			return errors.New("there is no commit yet")
		}
		if files := bare.Git("ls-tree", "-r", "--name-only", "main", "clusters/prod/_sync"); !strings.Contains(files, "/flux.yaml\n") {
			return errors.New("the repository has " + files)
		}
		return nil
	})
	if err := runBlock(env, 1, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"gitrepository", "kustomization"} {
		env.Must(t, "", "get", kind, "gati", "-n", fluxNamespace)
	}
	if isLong {
		startFlux(t)
	}
	w := newWorld(t)
	w.applyHandler(w.makeHandler("v1"))
	w.awaitServing("v1")
	w.deleteHandler()
	w.isGone()
	if !isLong {
		return
	}
	t.Run("a canary is a series of commits", TestACanaryIsASeriesOfCommits)
	t.Run("HEAD on an empty cluster", TestHeadOnAnEmptyCluster)
	t.Run("a repository that is down", TestARepositoryThatIsDown)
	t.Run("kills around a push", TestKillsAroundAPush)
}

// fluxNamespace is where Flux runs and its objects are.
const fluxNamespace = "flux-system"

// fluxTools are Flux's controllers, which hack/tool builds.
var fluxTools = []string{"source-controller", "kustomize-controller"}

// installFlux creates Flux's namespace, and the CRDs that its controllers come with.
func installFlux(t *testing.T) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fluxNamespace}}
	if err := admin.Create(t.Context(), ns); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	// The page creates it, and so may an earlier run of the test.
	env.Must(t, "", "delete", "secret", "gati-git", "-n", fluxNamespace, "--ignore-not-found")
	for _, tool := range fluxTools {
		crds := filepath.Join(moduleFolder(t, tool), "config", "crd", "bases")
		env.Must(t, "", "apply", "--server-side", "-f", crds)
		// Until the CRD has a status kubectl wait fails instead of waiting.
		await.Eventually(t, "a server of the CRDs of "+tool, func() error {
			if out, ok := env.Kubectl(t.Context(), "", "wait", "--for=condition=Established", "--timeout=60s", "-f", crds); !ok {
				return errors.New(out)
			}
			return nil
		})
	}
}

// moduleFolder returns where the module of a tool is, in the version that hack/tool builds.
func moduleFolder(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/fluxcd/"+name)
	cmd.Dir = repo.Path("hack", "tools", name)
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if err := errors.Join(err, json.Unmarshal(out, &module)); err != nil || module.Dir == "" {
		t.Fatal(fmt.Errorf("find the module of %s: %w: %s", name, err, module.Error))
	}
	return module.Dir
}
