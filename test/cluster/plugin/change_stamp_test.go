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
			c := &cell{t: t, change: ch, verb: verbs[0], version: version, namespace: namespace(t), name: "a"}
			c.sent = ch.start.in(version)
			c.kubectl("create", "-f", c.file(c.name))
			old := decide.StampOf(c.live("v1"))
			c.sent = merged(t, c.sent, imageSecond.in(version))
			c.kubectl("replace", "-f", c.file(c.name))
			now := c.live("v1")
			stamp := decide.StampOf(now)
			if stamp == old || stamp.Plan == "" {
				t.Fatalf("the stamp of another image is %+v, before %+v", stamp, old)
			}

			c.kubectl("replace", "-f", c.file(c.name))
			if got := c.live("v1"); got.GetGeneration() != now.GetGeneration() || decide.StampOf(got) != stamp {
				t.Errorf("the file replaced by itself gives generation %d with the stamp %+v, before %d with %+v",
					got.GetGeneration(), decide.StampOf(got), now.GetGeneration(), stamp)
			}
			read := c.fileWith(c.name, map[string]any{v1.AnnotationPlan: old.Plan, v1.AnnotationChildren: old.Children})
			for _, args := range [][]string{
				{"apply", "-f", read}, {"apply", "-f", read}, {"replace", "-f", read},
				{"apply", "--server-side", "--force-conflicts", "-f", read},
				{"annotate", c.resource(), c.name, "--overwrite", v1.AnnotationPlan + "=made-up"},
				{"annotate", c.resource(), c.name, v1.AnnotationPlan + "-"},
				{"annotate", c.resource(), c.name, "--overwrite", v1.AnnotationChildren + "=made-up"},
				{"annotate", c.resource(), c.name, v1.AnnotationChildren + "-"},
			} {
				c.kubectl(args...)
				if got := decide.StampOf(c.live("v1")); got != stamp {
					t.Errorf("after kubectl %v the stamp is %+v, want %+v", args, got, stamp)
				}
			}
			c.kubectl("label", c.resource(), c.name, "team=users")
			if got := decide.StampOf(c.live("v1")); got != stamp {
				t.Errorf("with a label the stamp is %+v, want %+v", got, stamp)
			}
		})
	}
}
