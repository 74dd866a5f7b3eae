package certs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldManager owns the caBundles. Whoever applies the manifests again does not
// take them away: the manifests hold none.
const fieldManager = "gati-webhook"

const (
	// recheck is how soon a caBundle is put back that somebody changed.
	recheck = 15 * time.Second
	// retrySoonest is how soon the injector tries again what did not work. The
	// time doubles up to recheck.
	retrySoonest = 500 * time.Millisecond
)

// Injector keeps the bundle of a Source in the targets. Every replica runs one:
// they write the same, and only where something else stands, for a change of a
// CRD's spec cuts all watches on its objects.
type Injector struct {
	client client.Client
	live   *Live
	source Source
	log    logr.Logger
	wake   signal
	// missing is what was last said to be missing, to say it once.
	missing string
}

// NewInjector returns an injector of the source's bundle into the targets of
// live. The client's reads have to be live.
func NewInjector(c client.Client, live *Live, source Source, log logr.Logger) *Injector {
	return &Injector{client: c, live: live, source: source, log: log, wake: newSignal()}
}

// Start injects until the context ends.
func (i *Injector) Start(ctx context.Context) error {
	failures := 0
	for {
		complete, err := i.inject(ctx)
		i.complain(ctx, err, failures)
		wait := recheck
		if complete {
			failures = 0
		} else {
			wait = min(recheck, retrySoonest<<min(failures, 10))
			failures++
		}
		select {
		case <-ctx.Done():
			return nil
		case <-i.source.Changed():
			failures = 0
		case <-i.wake:
		case <-time.After(wait):
		}
	}
}

// Wake makes the injector look at once. Whoever sees that the API server does
// not trust us calls it.
func (i *Injector) Wake() { i.wake.set() }

// complain logs a failure from the second in a row on: when replicas start
// together, all but one are beaten to a patch once.
func (i *Injector) complain(ctx context.Context, err error, before int) {
	switch {
	case err == nil || ctx.Err() != nil:
	case before == 0:
		i.log.V(1).Info("the CA is not published yet", "error", err.Error())
	default:
		i.log.Error(err, "the CA is not published yet; calls fail where it is not", "attempt", before+1)
	}
}

// NeedLeaderElection is false: a leader cannot be elected before CRDs can be
// read, and the first replica to be up shall serve.
func (i *Injector) NeedLeaderElection() bool { return false }

// inject brings all targets up to date. It is complete when none is missing.
func (i *Injector) inject(ctx context.Context) (complete bool, err error) {
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
		errs = append(errs, i.update(ctx, state))
	}
	i.report(missing)
	if err := errors.Join(errs...); err != nil {
		return false, err
	}
	// What does not exist calls nobody, so it does not keep the leaf back.
	i.source.Published(bundle)
	return len(missing) == 0, nil
}

func (i *Injector) report(missing []string) {
	list := strings.Join(missing, ", ")
	if list != i.missing && list != "" {
		i.log.Info("the CA waits for objects that do not exist; apply the manifests", "missing", list)
	}
	i.missing = list
}

// update patches the clientConfigs of one target that hold something else.
func (i *Injector) update(ctx context.Context, state State) error {
	var patch []operation
	for _, e := range state.Endpoints {
		// What cannot be read is not worth keeping.
		standing, _ := ParseBundle(e.CABundle)
		desired := i.source.Desired(standing).PEM()
		if !bytes.Equal(desired, e.CABundle) {
			patch = append(patch, operation{Op: "add", Path: e.Pointer + "/caBundle", Value: desired})
		}
	}
	if len(patch) == 0 {
		return nil
	}
	// The pointers are of what was read: fail if it has changed since.
	patch = append([]operation{{Op: "test", Path: "/metadata/resourceVersion", Value: state.ResourceVersion}}, patch...)
	if err := i.patch(ctx, state.Target, patch); err != nil {
		return fmt.Errorf("put the CA into %s: %w", state.Target, err)
	}
	i.log.Info("published the CA", "object", state.Target.String(), "clientConfigs", len(patch)-1)
	return nil
}

// operation is one of RFC 6902.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

func (i *Injector) patch(ctx context.Context, target Target, operations []operation) error {
	body, err := json.Marshal(operations)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(target.GroupVersionKind)
	object.SetName(target.Name)
	return i.client.Patch(ctx, object, client.RawPatch(types.JSONPatchType, body), client.FieldOwner(fieldManager))
}
