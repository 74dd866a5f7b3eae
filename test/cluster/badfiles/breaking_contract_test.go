package badfiles

import (
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/await"
)

// TestTheContractMovesBack moves the contract to a version that breaks callers, and back by the
// command that undoes it. The second time a refused share names the command.
func TestTheContractMovesBack(t *testing.T) {
	c := newAdminClient(t)
	r := row{"contract", "{strategy: Manual, rollbackWindow: 1s}", ""}
	ns := r.openNamespace(t, c)
	recordTransformers(t, c, ns)
	mustApply(t, ns, r.handlerManifest("v2", `{type: object, properties: {name: {type: integer}}}`))
	for _, edit := range []string{"keep users v1", "set-traffic users v2=100"} {
		editRecord(t, ns, edit)
	}
	awaitWeight(t, c, ns, "v2", 100)

	undo := moveContract(t, c, ns)
	remedies.Execute(t, env.Shell, remedy.MoveContract, undo)
	awaitContract(t, c, ns, "v1")

	moveContract(t, c, ns)
	const share = "set-traffic users v1=50 v2=50"
	refused, err := env.Shell(t.Context(), "kubectl gati version "+share+" --yes -n "+ns)
	if err == nil {
		t.Fatalf("v1 gets a share and does not serve callers of v2:\n%s", refused)
	}
	remedies.Execute(t, env.Shell, remedy.MoveContract, refused)
	awaitContract(t, c, ns, "v1")
	editRecord(t, ns, share)
	awaitWeight(t, c, ns, "v1", 50)
}

// moveContract moves the contract to v2 as soon as v1 may serve no more, and returns what the
// command prints.
func moveContract(t *testing.T, c client.Client, ns string) (out string) {
	t.Helper()
	out = editRecord(t, ns, "contract users v2")
	awaitContract(t, c, ns, "v2")
	return out
}

// editRecord types a command of kubectl gati version until the records and windows allow it.
func editRecord(t *testing.T, ns, edit string) (out string) {
	t.Helper()
	await.Eventually(t, edit, func() (err error) {
		if out, err = env.Shell(t.Context(), "kubectl gati version "+edit+" --yes -n "+ns); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	})
	return out
}

func awaitContract(t *testing.T, c client.Client, ns, version string) {
	t.Helper()
	await.Eventually(t, "the contract "+version, func() error {
		h := readHandler(t, c, ns)
		if at := h.Status.Rollout.Contract; at == nil || at.Version != version {
			return fmt.Errorf("it is %+v%s", at, describeHandler(h))
		}
		return nil
	})
}
