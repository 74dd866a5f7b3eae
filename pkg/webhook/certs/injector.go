package certs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldManager owns the caBundles. The manifests have none, so applying them again
// leaves the caBundles in place.
const fieldManager = "gati-webhook"

// Injector keeps the bundle of a Source in the targets. Every replica runs one: all
// write the same bytes. They write only where the content differs, because any
// change of a CRD's spec ends all watches on its objects.
type Injector struct {
	client client.Client
	live   *Live
	source Source
	log    logr.Logger
	wake   notification
	// lastMissing is the list that was logged last, so that each list is logged
	// once.
	lastMissing string
}

// NewInjector returns an Injector that writes the source's bundle into the targets
// of live. The client must read without a cache.
func NewInjector(c client.Client, live *Live, source Source, log logr.Logger) *Injector {
	return &Injector{client: c, live: live, source: source, log: log, wake: newNotification()}
}

// Start keeps the targets up to date until the context ends.
func (i *Injector) Start(ctx context.Context) error {
	recheckUntilDone(ctx, i.source, i.wake, func(failures int) bool {
		complete, err := i.updateTargets(ctx)
		i.logFailure(ctx, err, failures)
		return complete
	})
	return nil
}

// Wake starts a check at once. It is called when a call shows that the API server
// does not trust the certificate.
func (i *Injector) Wake() { i.wake.notify() }

// logFailure logs errors from the second failure in a row on. The first is
// expected: of replicas that start together, all but one lose a patch.
func (i *Injector) logFailure(ctx context.Context, err error, before int) {
	switch {
	case err == nil || ctx.Err() != nil:
	case before == 0:
		i.log.V(1).Info("the CA is not published yet", "error", err.Error())
	default:
		i.log.Error(err, "the CA is not published yet; calls fail where it is not", "attempt", before+1)
	}
}

// NeedLeaderElection is false: without conversion a leader cannot be elected, and
// the first replica that is up has to serve.
func (i *Injector) NeedLeaderElection() bool { return false }

// updateTargets brings all targets up to date. The result is complete when no
// target is missing.
func (i *Injector) updateTargets(ctx context.Context) (complete bool, err error) {
	bundle := i.source.Desired(nil)
	if len(bundle) == 0 {
		return false, nil
	}
	states, err := i.live.States(ctx)
	if err != nil {
		return false, err
	}
	var missing []string
	var errs []error
	for _, state := range states {
		if state.Missing {
			missing = append(missing, state.Target.String())
		}
		errs = append(errs, i.updateTarget(ctx, state))
	}
	i.logMissing(missing)
	if err := errors.Join(errs...); err != nil {
		return false, err
	}
	// A missing target causes no calls, so it does not delay the leaf.
	i.source.Published(bundle)
	return len(missing) == 0, nil
}

func (i *Injector) logMissing(missing []string) {
	list := strings.Join(missing, ", ")
	if list != i.lastMissing && list != "" {
		i.log.Info("the CA waits for objects that do not exist; apply the manifests", "missing", list)
	}
	i.lastMissing = list
}

// updateTarget patches the clientConfigs of one target whose bundle differs.
func (i *Injector) updateTarget(ctx context.Context, state State) error {
	var patch []operation
	for _, e := range state.Endpoints {
		// A bundle that cannot be parsed is replaced.
		published, _ := ParseBundle(e.CABundle)
		desired := i.source.Desired(published).PEM()
		if !bytes.Equal(desired, e.CABundle) {
			patch = append(patch, operation{Op: "add", Path: e.Pointer + "/caBundle", Value: desired})
		}
	}
	if len(patch) == 0 {
		return nil
	}
	// The pointers are valid for the version that was read only.
	patch = append([]operation{{Op: "test", Path: "/metadata/resourceVersion", Value: state.ResourceVersion}}, patch...)
	if err := i.patchTarget(ctx, state.Target, patch); err != nil {
		return fmt.Errorf("put the CA into %s: %w", state.Target, err)
	}
	i.log.Info("published the CA", "object", state.Target.String(), "clientConfigs", len(patch)-1)
	return nil
}

// operation is a JSON Patch operation of RFC 6902.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

func (i *Injector) patchTarget(ctx context.Context, target Target, operations []operation) error {
	body, err := json.Marshal(operations)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(target.GroupVersionKind)
	object.SetName(target.Name)
	return i.client.Patch(ctx, object, client.RawPatch(types.JSONPatchType, body), client.FieldOwner(fieldManager))
}
