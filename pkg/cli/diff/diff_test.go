package diff_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

const (
	users = `apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: users}
spec: {path: /users, version: v1.0.0, image: "registry.example.com/users:v1.0.0", replicas: 2}
`
	older = `apiVersion: gati.dev/v1alpha1
kind: GatiHandler
metadata: {name: users}
spec: {handlerPath: /users, version: v1.0.0, image: "registry.example.com/users:v1.0.0"}
`
	module = `apiVersion: gati.dev/v1
kind: GatiModule
metadata: {name: db}
spec: {type: node, moduleName: db, image: "registry.example.com/db:v1.0.0"}
`
	record = `apiVersion: gati.dev/v1
kind: GatiVersion
metadata: {name: users-v9}
spec: {handler: nobody, version: v9.0.0, traffic: 10}
`
	foreign = `apiVersion: v1
kind: ConfigMap
metadata: {name: users}
`
)

// TestGolden runs the command where nothing is there yet: all is created. What is
// changed is held against a real API server, in test/cluster/plugin.
func TestGolden(t *testing.T) {
	cases := map[string]struct {
		stdin      string
		args       []string
		forbidden  string
		wantStderr string
		wantCode   int
	}{
		"create":      {stdin: users, wantCode: 1, wantStderr: "gh/users: 5 children change; Version v1.0.0 is rolling out: 0 of 0 pods updated, 0 ready.\n"},
		"create-json": {stdin: users, args: []string{"-o", "json"}, wantCode: 1},
		"create-name": {stdin: users + "---\n" + module, args: []string{"-o", "name"}, wantCode: 1},
		"v1alpha1":    {stdin: older, args: []string{"-o", "jsonpath={.items[0].changes[*].kind}"}, wantCode: 1},
		"record":      {stdin: record, wantStderr: "gh/nobody: nothing changes; there is no such handler yet\n"},
		"refused": {
			stdin: users, forbidden: "the policy says no", wantCode: exit.Unhealthy,
			wantStderr: "error: standard input:1: GatiHandler users: users is forbidden: the policy says no\n",
		},
		"foreign": {
			stdin: foreign, wantCode: exit.Usage,
			wantStderr: "error: no GatiHandler, GatiModule or GatiVersion found in -\n",
		},
		"force-alone": {
			stdin: users, args: []string{"--force-conflicts"}, wantCode: exit.Usage,
			wantStderr: "error: --force-conflicts requires --server-side\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, status.Objects{})
			server.Patched = func(client.Object) error {
				if tc.forbidden != "" {
					return errors.New(tc.forbidden)
				}
				return nil
			}
			args := append([]string{"diff", "-f", "-"}, tc.args...)
			got := clitest.Run(t.Context(), tc.stdin, append(args, server.Connection()...)...)
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

// TestErrorsAreNoDifference holds that what cannot be said ends with more than 1.
func TestErrorsAreNoDifference(t *testing.T) {
	server := clitest.NewServer(t, status.Objects{})
	server.Die()
	got := clitest.Run(t.Context(), users, append([]string{"diff", "-f", "-"}, server.Connection()...)...)
	if got.Code <= 1 || got.Stdout != "" {
		t.Errorf("got %+v", got)
	}
}
