package plugin

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/decide"
)

// A request that leaves the spec leaves the stamp, whatever it says of it: a file
// that was read from the cluster carries the stamp of its day, and one that was
// written by hand none.
func TestStampStaysWhileTheSpecStays(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ch := change{kind: handlers, start: handler}
			c := &cell{t: t, change: ch, verb: verbs[0], version: version, namespace: makeNamespace(t), name: "a"}
			c.sent = ch.start.inVersion(version)
			c.runKubectl("create", "-f", c.writeFile(c.name))
			old := decide.StampOf(c.readObject("v1"))
			c.sent = applyMergePatch(t, c.sent, imageSecond.inVersion(version))
			c.runKubectl("replace", "-f", c.writeFile(c.name))
			now := c.readObject("v1")
			stamp := decide.StampOf(now)
			if stamp == old || stamp.Plan == "" {
				t.Fatalf("the stamp of another image is %+v, before %+v", stamp, old)
			}

			c.runKubectl("replace", "-f", c.writeFile(c.name))
			if got := c.readObject("v1"); got.GetGeneration() != now.GetGeneration() || decide.StampOf(got) != stamp {
				t.Errorf("the file replaced by itself gives generation %d with the stamp %+v, before %d with %+v",
					got.GetGeneration(), decide.StampOf(got), now.GetGeneration(), stamp)
			}
			read := c.fileWith(c.name, map[string]any{v1.AnnotationPlan: old.Plan, v1.AnnotationChildren: old.Children})
			for _, args := range [][]string{
				{"apply", "-f", read}, {"apply", "-f", read}, {"replace", "-f", read},
				{"apply", "--server-side", "--force-conflicts", "-f", read},
				{"annotate", c.resourceName(), c.name, "--overwrite", v1.AnnotationPlan + "=made-up"},
				{"annotate", c.resourceName(), c.name, v1.AnnotationPlan + "-"},
				{"annotate", c.resourceName(), c.name, "--overwrite", v1.AnnotationChildren + "=made-up"},
				{"annotate", c.resourceName(), c.name, v1.AnnotationChildren + "-"},
			} {
				c.runKubectl(args...)
				if got := decide.StampOf(c.readObject("v1")); got != stamp {
					t.Errorf("after kubectl %v the stamp is %+v, want %+v", args, got, stamp)
				}
			}
			c.runKubectl("label", c.resourceName(), c.name, "team=users")
			if got := decide.StampOf(c.readObject("v1")); got != stamp {
				t.Errorf("with a label the stamp is %+v, want %+v", got, stamp)
			}
		})
	}
}
