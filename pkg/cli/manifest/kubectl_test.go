package manifest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/resource"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/manyways"
	"gati.dev/gati/pkg/cli/manifest"
)

// readAsKubectl returns the objects that kubectl's own reader finds in files, and whether it
// fails.
func readAsKubectl(t *testing.T, options resource.FilenameOptions) (objects []string, failed bool) {
	t.Helper()
	infos, err := resource.NewLocalBuilder().Unstructured().Local().ContinueOnError().FilenameParam(false, &options).Flatten().Do().Infos()
	for _, info := range infos {
		objects = append(objects, info.Object.GetObjectKind().GroupVersionKind().Kind+" "+info.Name)
	}
	return objects, err != nil
}

// readAsOurs returns the objects that a command finds, and whether it fails.
func readAsOurs(t *testing.T, path string) (objects []string, failed bool) {
	t.Helper()
	set, err := manifest.Of(path).Read(strings.NewReader(""))
	if err != nil {
		return nil, true
	}
	for i := range set.Documents {
		if d := &set.Documents[i]; d.Err != nil {
			failed = true
		} else {
			objects = append(objects, manifest.Title(d))
		}
	}
	return objects, failed || len(set.Broken) > 0
}

// TestFilesAreReadAsByKubectl holds that files which people have contain the objects that
// kubectl's own reader finds in them, and that what it refuses is refused by every command.
func TestFilesAreReadAsByKubectl(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	files, err := filepath.Glob("testdata/files/*")
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	files = append(files, manyways.Write(t)...)
	if len(files) < 60 {
		t.Fatalf("%d files, want 60", len(files))
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, refused := readAsKubectl(t, resource.FilenameOptions{Filenames: []string{path}})
			got, failed := readAsOurs(t, path)
			if failed != refused {
				t.Fatalf("it fails: %v, for kubectl: %v", failed, refused)
			}
			if diff := cmp.Diff(want, got); diff != "" && !refused {
				t.Errorf("(-kubectl,+ours):\n%s", diff)
			}
			for _, command := range []string{"lint", "expand", "convert"} {
				got := clitest.Run(t.Context(), "", command, "-f", path)
				if failed := got.Code != 0; failed != refused && !strings.HasSuffix(path, "unquoted-fraction.yaml") {
					t.Errorf("%s ends with %d: %s%s", command, got.Code, got.Stdout, got.Stderr)
				}
				if got.Code != 0 && got.Stdout+got.Stderr == "" {
					t.Errorf("%s fails and does not say why", command)
				}
			}
		})
	}
}

// TestPlacesAreReadAsByKubectl holds that directories, patterns, links and kustomizations name
// the files that they name for kubectl.
func TestPlacesAreReadAsByKubectl(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/one.yaml": fmt.Sprintf(manyways.HandlerYAML, "one"), "a/two.json": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"}}`, "a/three.txt": "no manifest",
		"a/below/four.yml": fmt.Sprintf(manyways.HandlerYAML, "four"), "b/kustomization.yaml": "namePrefix: shop-\nresources: [one.yaml]\n", "b/one.yaml": fmt.Sprintf(manyways.HandlerYAML, "one"), "empty/x.txt": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"a/linked.yaml": "one.yaml", "folder": "a", "a/dangling.yaml": "gone"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, args := range map[string][]string{
		"a directory, with a dangling link": {"-f", "a"}, "recursive": {"-f", "a", "-R"}, "a pattern": {"-f", "a/*e.yaml"}, "a link": {"-f", "a/linked.yaml"},
		"a linked directory": {"-f", "folder"}, "nothing there": {"-f", "gone"}, "a pattern of nothing": {"-f", "gone*"}, "no manifest in it": {"-f", "empty"},
		"a kustomization": {"-k", "b"}, "no kustomization": {"-k", "a"}, "both": {"-f", "a", "-k", "b"}, "one empty directory of two": {"-f", "empty", "-f", "a/one.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			var options resource.FilenameOptions
			command := append([]string{"lint"}, args...)
			for i, arg := range args {
				switch arg {
				case "-R":
					options.Recursive = true
				case "-f":
					options.Filenames, command[i+2] = append(options.Filenames, filepath.Join(dir, args[i+1])), filepath.Join(dir, args[i+1])
				case "-k":
					options.Kustomize, command[i+2] = filepath.Join(dir, args[i+1]), filepath.Join(dir, args[i+1])
				}
			}
			want, refused := readAsKubectl(t, options)
			got := clitest.Run(t.Context(), "", append(command, "-o", "json")...)
			if (got.Code != 0) != refused {
				t.Errorf("lint ends with %d: %s; kubectl fails: %v", got.Code, got.Stdout+got.Stderr, refused)
			}
			ours := 0
			for _, object := range want {
				if strings.HasPrefix(object, "GatiHandler") {
					ours++
				}
			}
			if count := fmt.Sprintf(`"objects": %d`, ours); got.Code == 0 && !strings.Contains(got.Stdout, count) {
				t.Errorf("lint does not say %s, as kubectl finds %q: %s", count, want, got.Stdout)
			}
		})
	}
}

// TestConvertOfAList holds that each item of a list is converted once.
func TestConvertOfAList(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	got := clitest.Run(t.Context(), "", "convert", "-f", "testdata/files/typed-list.yaml")
	if n := bytes.Count([]byte(got.Stdout), []byte("kind: GatiHandler\n")); got.Code != 0 || n != 2 || strings.Contains(got.Stdout, "GatiHandlerList") {
		t.Errorf("%d handlers: %+v", n, got)
	}
}
