package diff

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/target/kubernetes"
)

// TestPrintChange holds the form of diff -u: the lines that differ, three lines
// around them, and where they are.
func TestPrintChange(t *testing.T) {
	fields := func(names, values string) map[string]any {
		out := map[string]any{}
		for i, name := range strings.Split(names, "") {
			out[name] = values[i : i+1]
		}
		return out
	}
	cases := map[string]struct {
		change Change
		color  string
		want   string
	}{
		"an update": {
			change: Change{Action: kubernetes.Update, Before: fields("abcdefghi", "vvvvvvvvv"), After: fields("abcdefghi", "vvvvwvvvv")},
			want:   "update service/users -n shop\n--- live/service/users\n+++ applied/service/users\n@@ -2,7 +2,7 @@\n b: v\n c: v\n d: v\n-e: v\n+e: w\n f: v\n g: v\n h: v\n",
		},
		"two places, far apart": {
			change: Change{Action: kubernetes.Update, Before: fields("abcdefghijkl", "vvvvvvvvvvvv"), After: fields("abcdefghijkl", "wvvvvvvvvvvw")},
			want: "update service/users -n shop\n--- live/service/users\n+++ applied/service/users\n" +
				"@@ -1,4 +1,4 @@\n-a: v\n+a: w\n b: v\n c: v\n d: v\n@@ -9,4 +9,4 @@\n i: v\n j: v\n k: v\n-l: v\n+l: w\n",
		},
		"a create": {
			change: Change{Action: kubernetes.Create, After: fields("ab", "vv")},
			want:   "create service/users -n shop\n--- /dev/null\n+++ applied/service/users\n@@ -0,0 +1,2 @@\n+a: v\n+b: v\n",
		},
		"a delete": {
			change: Change{Action: kubernetes.Delete, Before: fields("ab", "vv")},
			want:   "delete service/users -n shop\n--- live/service/users\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a: v\n-b: v\n",
		},
		"a problem, with nothing to compare": {
			change: Change{Action: kubernetes.Update, Problem: "Service users belongs to GatiHandler other"},
			want:   "update service/users -n shop\n! Service users belongs to GatiHandler other\n",
		},
		"colours, none for the names of the files": {
			change: Change{Action: kubernetes.Update, Before: fields("ab", "vv"), After: fields("ab", "vw")},
			color:  "always",
			want: "\x1b[1mupdate service/users -n shop\x1b[0m\n--- live/service/users\n+++ applied/service/users\n" +
				"\x1b[2m@@ -1,2 +1,2 @@\x1b[0m\n a: v\n\x1b[31m-b: v\x1b[0m\n\x1b[32m+b: w\x1b[0m\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o := &options{env: &env.Env{Streams: genericiooptions.IOStreams{Out: output.NewScreen(&out)}}, painter: painter(t, tc.color)}
			tc.change.Kind, tc.change.Name = "Service", "users"
			if err := o.printChange(&Item{Namespace: "shop"}, tc.change); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}

func painter(t *testing.T, when string) output.Painter {
	t.Helper()
	var flag output.ColorFlag
	cmd := &cobra.Command{}
	flag.AddTo(cmd)
	if err := cmd.ParseFlags([]string{"--color=" + cmp.Or(when, "never")}); err != nil {
		t.Fatal(err)
	}
	out, err := flag.Painter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
