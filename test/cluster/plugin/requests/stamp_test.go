package requests

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// A request that leaves the spec leaves the stamp, whatever it says of it: a file
// that was read from the cluster carries the stamp of its day, and one that was
// written by hand none.
func TestStampStaysWhileTheSpecStays(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ch := change{kind: handlers, start: handler}
			c := &cell{t: t, change: ch, verb: verbs[0], version: version, namespace: namespace(t), name: "a"}
			c.sent = ch.start.in(version)
			c.kubectl("create", "-f", c.file(c.name))
			old := c.live("v1").GetAnnotations()[v1.AnnotationPlan]
			c.sent = merged(t, c.sent, imageSecond.in(version))
			c.kubectl("replace", "-f", c.file(c.name))
			now := c.live("v1")
			stamp := now.GetAnnotations()[v1.AnnotationPlan]
			if stamp == old || stamp == "" {
				t.Fatalf("the stamp of another image is %q, before %q", stamp, old)
			}

			c.kubectl("replace", "-f", c.file(c.name))
			if got := c.live("v1"); got.GetGeneration() != now.GetGeneration() || got.GetAnnotations()[v1.AnnotationPlan] != stamp {
				t.Errorf("the file replaced by itself gives generation %d with the stamp %q, before %d with %q",
					got.GetGeneration(), got.GetAnnotations()[v1.AnnotationPlan], now.GetGeneration(), stamp)
			}
			read := c.fileWith(c.name, map[string]any{v1.AnnotationPlan: old})
			for _, args := range [][]string{
				{"apply", "-f", read}, {"apply", "-f", read}, {"replace", "-f", read},
				{"apply", "--server-side", "--force-conflicts", "-f", read},
				{"annotate", c.resource(), c.name, "--overwrite", v1.AnnotationPlan + "=made-up"},
				{"annotate", c.resource(), c.name, v1.AnnotationPlan + "-"},
			} {
				c.kubectl(args...)
				if got := c.live("v1").GetAnnotations()[v1.AnnotationPlan]; got != stamp {
					t.Errorf("after kubectl %v the stamp is %q, want %q", args, got, stamp)
				}
			}
			c.kubectl("label", c.resource(), c.name, "team=users")
			if got := c.live("v1").GetAnnotations()[v1.AnnotationPlan]; got != stamp {
				t.Errorf("with a label the stamp is %q, want %q", got, stamp)
			}
		})
	}
}
