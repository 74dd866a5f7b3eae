package version_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

type cmdTestCase struct {
	args       []string
	objects    status.Objects
	forbidden  string
	wantStderr string
	wantCode   int
	// wantPatches are the bodies of what was sent, by record.
	wantPatches map[string]string
}

// managed is Manual with a record whose share of the traffic Git has set.
func managed() status.Objects {
	objs := statustest.Manual()
	objs.Versions[1].ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kubectl-gati", Operation: "Update", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:keep":{}}}`)},
		{Manager: "argocd-controller", Operation: "Apply", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:traffic":{},"f:version":{}}}`)},
	}
	return objs
}

// unset is Manual before any share was set: the first version has all traffic.
func unset() status.Objects {
	objs := statustest.Manual()
	for i := range objs.Versions {
		objs.Versions[i].Spec.Traffic = nil
	}
	for i, weight := range []int32{100, 0, 0} {
		objs.Handlers[0].Status.Versions[i].Weight = weight
	}
	return objs
}

// pinned is Manual after a rollback.
func pinned() status.Objects {
	objs := statustest.Manual()
	stable := objs.Handlers[0].Status.Rollout.Stable
	objs.Handlers[0].Status.Rollout.Pinned = &v1.PinnedStatus{UnitRef: *stable, Deed: v1.Deed{By: "jane", At: statustest.Ago(time.Minute)}}
	return objs
}

// decommissioned is Manual with a version that has no workload any more.
func decommissioned() status.Objects {
	objs := statustest.Manual()
	objs.Handlers[0].Status.Versions[0].Weight = 90
	v2 := &objs.Handlers[0].Status.Versions[1]
	v2.Phase, v2.Workload, v2.Weight = v1.VersionDecommissioned, "", 0
	return objs
}

// said is Manual with a record of which a user has said why it was changed.
func said() status.Objects {
	objs := statustest.Manual()
	objs.Versions[1].Annotations = map[string]string{v1.AnnotationRequestReason: "a first tenth"}
	return objs
}

// schemas is Manual with what two of its versions take.
func schemas() status.Objects {
	objs := statustest.Manual()
	for i := range objs.Versions {
		text := map[string]string{
			"users-main":   `{"type":"object","properties":{"id":{"type":"string"},"age":{"type":"integer"}}}`,
			"users-v2-0-0": `{"type":"object","required":["id"],"properties":{"id":{"type":"string","maxLength":8},"age":{"type":"number"}}}`,
		}[objs.Versions[i].Name]
		if text != "" {
			objs.Versions[i].Spec.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(text)}}
		}
	}
	return objs
}

var cases = map[string]cmdTestCase{
	"alone":      {objects: statustest.Manual()},
	"list":       {args: []string{"list", "users"}, objects: statustest.AtStep()},
	"list-all":   {args: []string{"list", "-A"}, objects: statustest.Canary()},
	"list-name":  {args: []string{"list", "users", "-o", "name"}, objects: statustest.Manual()},
	"list-json":  {args: []string{"list", "users", "-o", "json"}, objects: statustest.Draining()},
	"list-empty": {args: []string{"list"}, objects: statustest.Scenarios()["empty"], wantStderr: "No versions found.\n"},
	"get":        {args: []string{"get", "users", "v2.0.0"}, objects: statustest.Manual()},
	"get-tag":    {args: []string{"get", "users", "production"}, objects: statustest.Canary()},
	"get-yaml":   {args: []string{"get", "users", "v1.0.0", "-o", "yaml"}, objects: statustest.Draining()},
	"get-absent": {
		args: []string{"get", "users", "v9"}, objects: statustest.Manual(),
		wantStderr: "error: gh/users has no version \"v9\"; see kubectl gati version list users -n shop\n", wantCode: exit.Error,
	},
	"set-traffic": {
		args: []string{"set-traffic", "users", "v1.0.0=60", "v2.0.0=30", "v3.0.0=10", "--yes"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-main": `{"spec":{"traffic":60}}`, "users-v2-0-0": `{"spec":{"traffic":30}}`},
	},
	"set-traffic-json": {
		args: []string{"set-traffic", "users", "v2.0.0=30", "-o", "json", "--yes"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"traffic":30}}`},
	},
	"set-traffic-dry-run": {
		args: []string{"set-traffic", "users", "v2.0.0=30", "--dry-run"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"traffic":30}}`},
	},
	"set-traffic-reason": {
		args: []string{"set-traffic", "users", "v2.0.0=30", "--reason", "errors in checkout", "--yes"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-v2-0-0": `{"metadata":{"annotations":{"gati.dev/request-reason":"errors in checkout"}},"spec":{"traffic":30}}`},
	},
	"set-traffic-reason-over": {
		args: []string{"set-traffic", "users", "v2.0.0=30", "-o", "jsonpath={.items[*].to}", "--yes"}, objects: said(),
		wantPatches: map[string]string{"users-v2-0-0": `{"metadata":{"annotations":{"gati.dev/request-reason":null}},"spec":{"traffic":30}}`},
	},
	"set-traffic-reason-lines": {
		args: []string{"set-traffic", "users", "v2.0.0=30", "--reason", "one\ntwo"}, objects: statustest.Manual(),
		wantStderr: "error: --reason must be one line of at most 200 characters, without control and format characters\n", wantCode: exit.Usage,
	},
	"get-why": {args: []string{"get", "users", "v2.0.0"}, objects: said()},
	// Nothing is written where one of the fields has another manager.
	"set-traffic-managed": {
		args: []string{"set-traffic", "users", "v1.0.0=80", "v2.0.0=10"}, objects: managed(),
		wantStderr: "error: spec.traffic of gv/users-v2-0-0 is managed by argocd-controller, which would revert the change; make the edit there\n",
		wantCode:   exit.Error,
	},
	"set-traffic-canary": {
		args: []string{"set-traffic", "users", "v1.0.0=80"}, objects: statustest.AtStep(),
		wantStderr: "error: gh/users has the strategy Canary, which ignores spec.traffic; set spec.rollout.strategy to Manual, or promote the rollout: kubectl gati rollout promote users -n shop\n",
		wantCode:   exit.Error,
	},
	"set-traffic-much": {
		args: []string{"set-traffic", "users", "v1.0.0=101"}, objects: statustest.Manual(),
		wantStderr: "error: \"v1.0.0=101\": a share must be from 0 to 100\n", wantCode: exit.Usage,
	},
	"set-traffic-twice": {
		args: []string{"set-traffic", "users", "v1.0.0=1", "v1.0.0=2"}, objects: statustest.Manual(),
		wantStderr: "error: v1.0.0 is named twice\n", wantCode: exit.Usage,
	},
	"set-traffic-no-share": {
		args: []string{"set-traffic", "users", "v1.0.0"}, objects: statustest.Manual(),
		wantStderr: "error: \"v1.0.0\": must be VERSION=PERCENT, such as v1.2.0=90, or VERSION- to remove a share\n", wantCode: exit.Usage,
	},
	// A stable version without a share takes the rest, and the undo leaves it without.
	"set-traffic-rest": {
		args: []string{"set-traffic", "users", "v2.0.0=10", "--yes"}, objects: unset(),
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"traffic":10}}`},
	},
	// A change of the stable version is not undone by what the records had.
	"set-traffic-all": {
		args: []string{"set-traffic", "users", "v2.0.0=100", "--yes"}, objects: unset(),
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"traffic":100}}`},
	},
	"set-traffic-remove": {
		args: []string{"set-traffic", "users", "v1.0.0-", "--yes"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-main": `{"spec":{"traffic":null}}`},
	},
	"set-traffic-none": {
		args: []string{"set-traffic", "users", "v1.0.0=0", "v2.0.0=0", "v3.0.0=0", "--dry-run"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-main": `{"spec":{"traffic":0}}`, "users-v2-0-0": `{"spec":{"traffic":0}}`, "users-v3-0-0": `{"spec":{"traffic":0}}`},
	},
	"set-traffic-pinned": {
		args: []string{"set-traffic", "users", "v2.0.0=0"}, objects: pinned(),
		wantStderr: "error: gh/users: set-traffic refused: the rollback to v1.0.0 by jane keeps all traffic there; end it first: kubectl gati rollout retry users -n shop\n",
		wantCode:   exit.Error,
	},
	"set-traffic-decommissioned": {
		args: []string{"set-traffic", "users", "v2.0.0=30"}, objects: decommissioned(),
		wantStderr: "error: gh/users: set-traffic refused: v2.0.0 is decommissioned and has no pods; declare it again, or return to it: kubectl gati rollout rollback users -n shop --to v2.0.0\n",
		wantCode:   exit.Error,
	},
	"set-traffic-forbidden": {
		args: []string{"set-traffic", "users", "v2.0.0=30", "--yes"}, objects: statustest.Manual(), forbidden: "this needs the verb traffic",
		wantStderr:  "error: gv/users-v2-0-0: gativersions.gati.dev \"users-v2-0-0\" is forbidden: this needs the verb traffic\n",
		wantCode:    exit.Error,
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"traffic":30}}`},
	},
	"tag": {
		args: []string{"tag", "users", "v1.0.0", "blue"}, objects: statustest.Canary(),
		wantPatches: map[string]string{"users-main": `{"metadata":{"resourceVersion":""},"spec":{"tags":["stable","production","blue"]}}`},
	},
	"tag-taken": {
		args: []string{"tag", "users", "v2.0.0", "blue", "stable"}, objects: statustest.Canary(),
		wantStderr: "error: v1.0.0 has the tag stable; remove it first: kubectl gati version untag users -n shop v1.0.0 stable\n",
		wantCode:   exit.Error,
	},
	"tag-again": {args: []string{"tag", "users", "v1.0.0", "stable"}, objects: statustest.Canary()},
	"untag": {
		args: []string{"untag", "users", "v1.0.0", "stable"}, objects: statustest.Canary(),
		wantPatches: map[string]string{"users-main": `{"metadata":{"resourceVersion":""},"spec":{"tags":["production"]}}`},
	},
	"keep": {
		args: []string{"keep", "users", "v2.0.0"}, objects: managed(),
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"keep":true}}`},
	},
	"keep-off": {args: []string{"keep", "users", "v2.0.0", "--off"}, objects: statustest.Manual()},
	"deactivate": {
		args: []string{"deactivate", "users", "v2.0.0", "--yes"}, objects: statustest.Manual(),
		wantPatches: map[string]string{"users-v2-0-0": `{"spec":{"active":false}}`},
	},
	"activate":    {args: []string{"activate", "users", "v2.0.0"}, objects: statustest.Manual()},
	"diff":        {args: []string{"diff", "users", "v1.0.0", "v2.0.0"}, objects: schemas(), wantCode: exit.Unhealthy},
	"diff-json":   {args: []string{"diff", "users", "v1.0.0", "v2.0.0", "-o", "json"}, objects: schemas(), wantCode: exit.Unhealthy},
	"diff-back":   {args: []string{"diff", "users", "v2.0.0", "v1.0.0", "--mode", "FORWARD"}, objects: schemas(), wantCode: exit.Unhealthy},
	"diff-none":   {args: []string{"diff", "users", "v1.0.0", "v2.0.0", "--mode", "NONE"}, objects: schemas()},
	"diff-file":   {args: []string{"diff", "users", "v2.0.0", "v9.0.0", "-f", "testdata/users-v9.yaml"}, objects: schemas()},
	"diff-schema": {args: []string{"diff", "--schema", "testdata/user-old.json", "testdata/user-new.json"}, wantCode: exit.Unhealthy},
	"diff-mode": {
		args: []string{"diff", "users", "v1.0.0", "v2.0.0", "--mode", "SOME"}, objects: schemas(),
		wantStderr: "error: --mode \"SOME\": must be NONE, BACKWARD, FORWARD or FULL\n", wantCode: exit.Usage,
	},
	"diff-absent": {
		args: []string{"diff", "users", "v1.0.0", "v8.0.0"}, objects: schemas(),
		wantStderr: "error: gh/users has no version \"v8.0.0\"; see kubectl gati version list users -n shop, or name its manifest with -f\n", wantCode: exit.Error,
	},
	"scaffold": {
		args: []string{"scaffold", "users", "--from", "v1.0.0", "--to", "v2.0.0"}, objects: schemas(),
		wantStderr: "Save it as src/transformers/users-v1.0.0-to-v2.0.0.js of the application and record it in the GatiVersion of v2.0.0:\n  transformers:\n    - {from: v1.0.0, to: v2.0.0, request: usersUp, response: usersDown}\n",
	},
	"scaffold-absent": {
		args: []string{"scaffold", "users", "--from", "v1.0.0", "--to", "v8.0.0"}, objects: schemas(),
		wantStderr: "error: gh/users has no version \"v8.0.0\"; see kubectl gati version list users -n shop, or name its manifest with -f\n", wantCode: exit.Error,
	},
	"scaffold-usage": {
		args: []string{"scaffold", "users", "--from", "v1.0.0"}, objects: schemas(),
		wantStderr: "error: --from and --to: name two versions, such as --from v1.0.0 --to v2.0.0\n", wantCode: exit.Usage,
	},
	"contract":      {args: []string{"contract", "users", "v2.0.0", "--dry-run"}, objects: statustest.Contract()},
	"contract-list": {args: []string{"list", "users"}, objects: statustest.Contract()},
	"decommission":  {args: []string{"decommission", "users", "v1.0.0", "--yes"}, objects: statustest.Draining()},
}

// TestGolden runs the commands over the scenarios; what they write to the standard
// output is in testdata/<case>.txt.
func TestGolden(t *testing.T) {
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := clitest.NewServer(t, tc.objects)
			server.Patched = tc.admit
			args := append([]string{"version"}, tc.args...)
			got := clitest.Run(t.Context(), "", append(args, server.Connection()...)...)
			golden.Compare(t, name+".txt", got.Stdout)
			if diff := cmp.Diff(tc.wantStderr, got.Stderr); diff != "" {
				t.Errorf("stderr (-want,+got):\n%s", diff)
			}
			if got.Code != tc.wantCode {
				t.Errorf("exit code %d, want %d", got.Code, tc.wantCode)
			}
			patches := map[string]string{}
			for _, p := range server.Patches() {
				if p.Manager != "kubectl-gati" {
					t.Errorf("a patch of %s by the manager %q", p.Name, p.Manager)
				}
				if p.Resource == status.ResourceVersions {
					patches[p.Name] = p.Body
				}
			}
			if len(patches)+len(tc.wantPatches) > 0 {
				if diff := cmp.Diff(tc.wantPatches, patches); diff != "" {
					t.Errorf("patches (-want,+got):\n%s", diff)
				}
			}
		})
	}
}

// admit judges a patch as a policy would, and handles a request as the controller
// would.
func (tc cmdTestCase) admit(o client.Object) error {
	if tc.forbidden != "" {
		return errors.New(tc.forbidden)
	}
	h, ok := o.(*v1.GatiHandler)
	if !ok {
		return nil
	}
	r, err := request.Parse(h.Annotations[v1.AnnotationRequest])
	if err != nil {
		return err
	}
	h.Status.Rollout.Requests = append(h.Status.Rollout.Requests, v1.HandledRequest{ID: r.ID, Outcome: r.Argument + " goes once it has drained"})
	return nil
}
