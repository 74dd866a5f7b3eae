package expand

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/env"
)

// fake is a pipeline whose manifests hold one name a line. A name becomes a
// Deployment and a Service; "bad" is refused and "broken" cannot be read.
type fake struct{}

func (fake) decode(r io.Reader, source string) ([]document, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var out []document
	var faults []error
	for i, name := range strings.Fields(string(text)) {
		h := &v1.GatiHandler{TypeMeta: metav1.TypeMeta{Kind: "GatiHandler"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == "broken" {
			faults = append(faults, fmt.Errorf("%s: document %d: is broken", source, i+1))
			continue
		}
		out = append(out, document{source: source, line: i + 1, object: h, foreign: name == "foreign"})
	}
	return out, errors.Join(faults...)
}

func (fake) run(o client.Object, image string) result {
	if o.GetName() == "bad" {
		return result{
			errors:   field.ErrorList{field.Required(field.NewPath("spec", "path"), "say one"), field.Forbidden(field.NewPath("spec"), "no")},
			warnings: []string{"spec: odd"},
		}
	}
	meta := metav1.ObjectMeta{Name: "handler-" + o.GetName(), Namespace: o.GetNamespace()}
	d := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "handler", Image: image}}
	s := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta}
	return result{plan: []client.Object{d, s}}
}

func TestCommandGolden(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.yaml": "users foreign", "b.json": "orders", "c.txt": "bad", "sub/d.yml": "carts", "faulty/e.yaml": "bad broken users bad",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		args    []string
		wantErr string
	}{
		"yaml":      {args: []string{"-f", dir + "/a.yaml", "--image", "app:v1"}},
		"json":      {args: []string{"-f", dir + "/a.yaml", "-o", "json"}},
		"jsonpath":  {args: []string{"-f", dir + "/a.yaml", "-o", "jsonpath={.items[*].kind}"}},
		"name":      {args: []string{"-f", dir, "-o", "name"}},
		"recursive": {args: []string{"-f", dir + "/sub", "-f", dir + "/b.json", "-R", "-o", "name"}},
		"faults": {
			args: []string{"-f", dir + "/faulty"},
			wantErr: "DIR/faulty/e.yaml: document 2: is broken\n" +
				"DIR/faulty/e.yaml:1: GatiHandler bad: spec.path: Required value: say one\n" +
				"DIR/faulty/e.yaml:1: GatiHandler bad: spec: Forbidden: no\n" +
				"DIR/faulty/e.yaml:4: GatiHandler bad: spec.path: Required value: say one\n" +
				"DIR/faulty/e.yaml:4: GatiHandler bad: spec: Forbidden: no",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			namespace := "shop"
			cmd := newCommand(&env.Env{
				Streams: genericiooptions.IOStreams{Out: &out, ErrOut: io.Discard},
				Config:  &genericclioptions.ConfigFlags{Namespace: &namespace},
			}, fake{})
			cmd.SetArgs(tc.args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			got := ""
			if err := cmd.Execute(); err != nil {
				got = strings.ReplaceAll(err.Error(), dir, "DIR")
			}
			if diff := cmp.Diff(tc.wantErr, got); diff != "" {
				t.Errorf("error (-want,+got):\n%s", diff)
			}
			golden.Compare(t, name+".txt", out.String())
		})
	}
}
