package plugin

import (
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// cell is one change by one verb in one version, to an object of its own.
type cell struct {
	t       *testing.T
	change  change
	verb    verb
	version string

	namespace, name string
	// sent is the spec as the user of this version has it, and spec the same in v1.
	sent, spec string
	// plans are the stamps of the start and of each step.
	plans []string
	// inputs are those of the revision that should run.
	inputs string
}

// runSteps goes through the steps that can be said.
func (c *cell) runSteps() {
	c.name = strings.NewReplacer(" --", "-", " ", "-", "=", "-").Replace(c.verb.name) + "-" + c.version
	c.applyStart()
	c.checkOutcome("the start", c.change.first, "")
	for _, s := range c.change.steps {
		if whyUnsaid(c.change, s, c.verb, c.version) != "" {
			continue
		}
		c.spec = applyMergePatch(c.t, c.spec, s.patch.v1)
		if c.verb.whole {
			c.sent = applyMergePatch(c.t, c.sent, s.patch.inVersion(c.version))
		}
		c.verb.send(c, s)
		want := s.want
		if c.verb.anew {
			want.revisions, want.templates, want.replicas, want.kept = 1, 1, max(want.created, want.replicas), 0
		}
		c.checkOutcome(s.name, want, s.want.plan)
	}
}

// applyStart brings the start to the cluster, through v1 where this version cannot.
func (c *cell) applyStart() {
	version := c.version
	if c.change.start.inVersion(version) == "" {
		c.version = "v1"
	}
	c.spec, c.sent = c.change.start.v1, c.change.start.inVersion(c.version)
	c.runKubectl(append(c.verb.start, "-f", c.writeFile(c.name))...)
	c.version = version
}

// resourceName is the kind in this version, as kubectl takes it.
func (c *cell) resourceName() string {
	return c.change.kind.plural + "." + c.version + "." + v1.Group
}

// runKubectl calls kubectl in the namespace, and it must succeed. Where a status was
// written between kubectl's read and its write, it is called again, as a user
// would.
func (c *cell) runKubectl(args ...string) {
	c.t.Helper()
	out, ok := "", false
	for range 5 {
		out, ok = env.Kubectl(c.t.Context(), "", append([]string{"-n", c.namespace}, args...)...)
		if ok {
			return
		}
		if !strings.Contains(out, "the object has been modified") {
			break
		}
	}
	c.t.Fatalf("kubectl %s:\n%s", strings.Join(args, " "), out)
}

// readObject returns the object as it is read in a version.
func (c *cell) readObject(version string) *unstructured.Unstructured {
	c.t.Helper()
	out := &unstructured.Unstructured{}
	out.SetAPIVersion(v1.Group + "/" + version)
	out.SetKind(c.change.kind.name)
	if err := admin().Get(c.t.Context(), client.ObjectKey{Namespace: c.namespace, Name: c.name}, out); err != nil {
		c.t.Fatal(err)
	}
	return out
}

func applyMergePatch(t *testing.T, text, patch string) string {
	t.Helper()
	out, err := jsonpatch.MergePatch([]byte(text), []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// makeNamespace makes a namespace. It stays until the cluster goes: taking hundreds of
// objects down costs more than what is tested here.
func makeNamespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "verbs-" + strings.ToLower(rand.String(8))}}
	if err := admin().Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return ns.Name
}
