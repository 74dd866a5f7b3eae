package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestNamesAreCompleted holds what a command offers behind it.
func TestNamesAreCompleted(t *testing.T) {
	objs := statustest.Healthy()
	objs.Handlers[0].Labels = map[string]string{v1.LabelApplication: "store"}
	server := clitest.NewServer(t, objs)
	server.Send("namespaces", "ADDED", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	forbidden := clitest.NewServer(t, statustest.Healthy())
	forbidden.Forbidden = []string{status.ResourceHandlers, status.ResourceModules}
	cases := map[string]struct {
		server *clitest.Server
		words  string
		want   []string
	}{
		"handlers and modules":   {server, "status ", []string{"db", "users"}},
		"without those given":    {server, "status users ", []string{"db"}},
		"handlers":               {server, "version get ", []string{"users"}},
		"a request":              {server, "rollout promote ", []string{"db", "users"}},
		"logs":                   {server, "logs ", []string{"db", "users"}},
		"nothing when forbidden": {forbidden, "status ", nil},
		"what begins so":         {server, "status us", []string{"users"}},
		"a kind":                 {server, "status gh/", []string{"gh/users"}},
		"another word for it":    {server, "explain module/d", []string{"module/db"}},
		"a kind it has not":      {server, "version get gm/", nil},
		"a kind that is none":    {server, "status pod/", nil},
		"versions":               {server, "version get users ", []string{"v1.0.0"}},
		"of a qualified name":    {server, "version get gh/users v1", []string{"v1.0.0"}},
		"of nobody":              {server, "version get nobody ", nil},
		"the second of two":      {server, "version diff users v0 ", []string{"v1.0.0"}},
		"no third version":       {server, "version diff users v0 v1 ", nil},
		"a share":                {server, "version set-traffic users ", []string{"v1.0.0="}},
		"a version to go to":     {server, "rollout rollback users --to ", []string{"v1.0.0"}},
		"callers to be served":   {server, "version scaffold users --from ", []string{"v1.0.0"}},
		"a namespace":            {server, "status -n s", []string{"shop"}},
		"an application":         {server, "rollout promote --app ", []string{"store"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"__complete"}, tc.server.Connection()...)
			got := clitest.Run(t.Context(), "", append(args, strings.Split(tc.words, " ")...)...)
			lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
			names := append([]string(nil), lines[:len(lines)-1]...)
			if diff := cmp.Diff(tc.want, names); diff != "" || !slices.Contains([]string{":4", ":6"}, lines[len(lines)-1]) {
				t.Errorf("(-want,+got):\n%s\n%s", diff, got.Stdout)
			}
		})
	}
}

// TestContextsAreCompleted holds that the names of contexts are those of the kubeconfig.
func TestContextsAreCompleted(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	text := "apiVersion: v1\nkind: Config\ncontexts: [{name: prod-b, context: {}}, {name: prod-a, context: {}}, {name: test, context: {}}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := clitest.Run(t.Context(), "", "__complete", "--kubeconfig", config, "status", "--context", "prod")
	if want := "prod-a\nprod-b\n:4\n"; got.Stdout != want {
		t.Errorf("got %q, want %q", got.Stdout, want)
	}
}
