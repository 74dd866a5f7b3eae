package status_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

type cmdTestCase struct {
	args       []string
	objects    status.Objects
	notServed  []string
	wantStderr string
	wantCode   int
}

// TestGolden runs the command over the scenarios; what it writes to the
// standard output is in testdata/<case>.txt.
func TestGolden(t *testing.T) {
	cases := map[string]cmdTestCase{
		"wide":     {args: []string{"-o", "wide"}, objects: statustest.Canary()},
		"name":     {args: []string{"-o", "name"}, objects: statustest.Healthy()},
		"json":     {args: []string{"-o", "json"}, objects: statustest.Healthy()},
		"yaml":     {args: []string{"users", "-o", "yaml"}, objects: statustest.Healthy()},
		"jsonpath": {args: []string{"-o", `jsonpath={.handlers[?(@.health!="Healthy")].name}`}, objects: statustest.ImagePull()},
		"go-template": {
			args:    []string{"-o", `go-template={{range .handlers}}{{.name}} {{.reason}}{{"\n"}}{{end}}`},
			objects: statustest.ImagePull(),
		},
		"all-namespaces":    {args: []string{"-A"}, objects: twoNamespaces()},
		"color":             {args: []string{"--color", "always"}, objects: statustest.ImagePull()},
		"page-color":        {args: []string{"users", "--color", "always"}, objects: statustest.Canary(), wantCode: exit.Unhealthy},
		"page-wide":         {args: []string{"users", "-o", "wide"}, objects: statustest.ImagePull(), wantCode: exit.Unhealthy},
		"page-module":       {args: []string{"gm/db"}, objects: statustest.Healthy()},
		"page-module-bare":  {args: []string{"db"}, objects: statustest.Healthy()},
		"page-handler-kind": {args: []string{"gatihandler/users"}, objects: statustest.Healthy()},
		"selector":          {args: []string{"-l", "team=a"}, objects: labelled()},
		"empty-all": {
			args: []string{"-A"}, objects: statustest.Scenarios()["empty"],
			wantStderr: "No resources found\n",
		},
		"no-crds": {
			objects:    statustest.Healthy(),
			notServed:  []string{status.ResourceHandlers, status.ResourceModules, status.ResourceVersions},
			wantStderr: "error: the Gati CRDs are not installed in this cluster; to install them: kubectl gati install\n",
			wantCode:   exit.Error,
		},
		"no-crds-named": {
			args:       []string{"users"},
			notServed:  []string{status.ResourceHandlers, status.ResourceModules, status.ResourceVersions},
			wantStderr: "error: the Gati CRDs are not installed in this cluster; to install them: kubectl gati install\n",
			wantCode:   exit.Error,
		},
		"not-found": {
			args: []string{"nobody"}, objects: statustest.Healthy(),
			wantStderr: "error: no handler or module \"nobody\" in namespace shop\n",
			wantCode:   exit.Error,
		},
		"not-found-kind": {
			args: []string{"gh/nobody"}, objects: statustest.Healthy(),
			wantStderr: "error: gatihandlers.gati.dev \"nobody\" not found\n",
			wantCode:   exit.Error,
		},
		"bad-color": {
			args:       []string{"--color", "sometimes"},
			wantStderr: "error: --color must be auto, always or never, not \"sometimes\"\n",
			wantCode:   exit.Usage,
		},
		"bad-format": {
			args:       []string{"-o", "xml"},
			wantStderr: "error: unknown output format \"xml\"; the formats are wide, go-template, go-template-file, json, jsonpath, jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, yaml\n",
			wantCode:   exit.Usage,
		},
		"bad-ref": {
			args:       []string{"pod/x"},
			wantStderr: "error: \"pod/x\" is neither a handler (gh/NAME) nor a module (gm/NAME)\n",
			wantCode:   exit.Usage,
		},
		"name-and-all": {
			args:       []string{"x", "-A"},
			wantStderr: "error: a name and --all-namespaces cannot be used together: names belong to a namespace\n",
			wantCode:   exit.Usage,
		},
		"several":       {args: []string{"users", "gm/db"}, objects: statustest.Healthy()},
		"several-worst": {args: []string{"users", "orders"}, objects: statustest.Terminating(), wantCode: exit.Unhealthy},
		"several-missing": {
			args: []string{"users", "nobody", "gm/none"}, objects: statustest.Healthy(),
			wantStderr: "error: no handler or module \"nobody\" in namespace shop\n" +
				"error: gatimodules.gati.dev \"none\" not found\n",
			wantCode: exit.Error,
		},
		"watch-yaml": {
			args:       []string{"-w", "-o", "yaml"},
			wantStderr: "error: --watch and -o yaml cannot be used together; -o json writes one document a line\n",
			wantCode:   exit.Usage,
		},
		"bad-goal": {
			args:       []string{"users", "--for", "ready"},
			wantStderr: "error: --for \"ready\": must be healthy, paused, complete, step=N or version=V\n",
			wantCode:   exit.Usage,
		},
		"timeout-alone": {
			args:       []string{"users", "--timeout", "5m"},
			wantStderr: "error: --timeout is for --watch and --for; to limit a single request use --request-timeout\n",
			wantCode:   exit.Usage,
		},
	}
	for name, objs := range statustest.Scenarios() {
		table, page := cmdTestCase{objects: objs}, cmdTestCase{args: []string{"users"}, objects: objs}
		for i, u := range objs.Unread {
			warning := "warning: " + u.Resource + " could not be read: forbidden\n"
			table.wantStderr = []string{warning, warning + table.wantStderr}[i]
			page.wantStderr = table.wantStderr
		}
		if name == "empty" {
			table.wantStderr = "No resources found in shop namespace.\n"
			page.wantStderr, page.wantCode = "error: no handler or module \"users\" in namespace shop\n", exit.Error
		} else {
			page.wantCode = codeOf(status.Build(objs, statustest.Now).Handlers[0].Health)
		}
		cases["table-"+name], cases["page-"+name] = table, page
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, tc.objects)
			server.NotServed = tc.notServed
			args := append([]string{"status"}, tc.args...)
			got := clitest.Run(t.Context(), "", append(args, server.Connection()...)...)
			golden.Compare(t, name+".txt", got.Stdout)
			if diff := cmp.Diff(tc.wantStderr, got.Stderr); diff != "" {
				t.Errorf("stderr (-want,+got):\n%s", diff)
			}
			if got.Code != tc.wantCode {
				t.Errorf("exit code %d, want %d", got.Code, tc.wantCode)
			}
		})
	}
}

// TestJSONGolden holds that -o json prints the view of each scenario: the golden
// files are those of pkg/status.
func TestJSONGolden(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		want, err := os.ReadFile(filepath.Join("..", "..", "status", "testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		server := clitest.NewServer(t, objs)
		got := clitest.Run(t.Context(), "", append([]string{"status", "-o", "json"}, server.Connection()...)...)
		if got.Code != exit.OK || got.Stderr != "" {
			t.Errorf("%s: exit code %d, %s", name, got.Code, got.Stderr)
		}
		var printed, viewed any
		if err := errors.Join(json.Unmarshal([]byte(got.Stdout), &printed), json.Unmarshal(want, &viewed)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(viewed, printed); diff != "" {
			t.Errorf("%s (-view,+printed):\n%s", name, diff)
		}
	}
}

// TestWideGolden holds the wide table of each scenario; all are in one file.
func TestWideGolden(t *testing.T) {
	all := statustest.Scenarios()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		server := clitest.NewServer(t, all[name])
		got := clitest.Run(t.Context(), "", append([]string{"status", "-o", "wide"}, server.Connection()...)...)
		fmt.Fprintf(&text, "# %s\n%s", name, got.Stdout)
	}
	golden.Compare(t, "wide-scenarios.txt", text.String())
}

// codeOf is the exit code of the page of an item.
func codeOf(health status.Health) int {
	switch health {
	case status.Healthy:
		return exit.OK
	case status.Paused:
		return exit.Paused
	default:
		return exit.Unhealthy
	}
}

// twoNamespaces is a healthy namespace and one with a handler without status.
func twoNamespaces() status.Objects {
	objs := statustest.Healthy()
	objs.Handlers = append(objs.Handlers, statustest.MakeHandler("users").In("market").Obj())
	objs.Versions = append(objs.Versions, statustest.MakeRecord("lost", "nobody", "v1").Obj())
	return objs
}

// labelled is a namespace of which one handler has a label.
func labelled() status.Objects {
	objs := statustest.Unbound()
	objs.Handlers = append(objs.Handlers, statustest.MakeHandler("orders").Label("team", "a").Obj())
	return objs
}

// TestRequests holds what the status of one handler may cost: at most six
// requests, each for one object or selected by label.
func TestRequests(t *testing.T) {
	cases := map[string]struct {
		args []string
		want int
	}{
		"handler":      {[]string{"status", "gh/users"}, 5},
		"bare handler": {[]string{"status", "users"}, 6},
		"module":       {[]string{"status", "gm/db"}, 4},
		"bare module":  {[]string{"status", "db"}, 5},
		"namespace":    {[]string{"status"}, 6},
		"several":      {[]string{"status", "gh/users", "gh/orders"}, 6},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, statustest.Healthy())
			clitest.Run(t.Context(), "", append(tc.args, server.Connection()...)...)
			requests := server.Requests()
			if len(requests) != tc.want {
				t.Errorf("%d requests, want %d:\n%s", len(requests), tc.want, strings.Join(requests, "\n"))
			}
			for _, r := range requests {
				ofKubernetes := !strings.HasPrefix(r, "/apis/"+v1.Group+"/")
				if ofKubernetes && !strings.Contains(r, "labelSelector=gati.dev%2F") {
					t.Errorf("unselected: %s", r)
				}
			}
		})
	}
}
