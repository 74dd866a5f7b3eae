package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"gati.dev/gati/pkg/cli/env"
)

// Raw reads and writes objects as JSON by their paths. It is for kinds that are
// seldom met: to link their types would cost more than to name the few fields.
type Raw struct{ client rest.Interface }

// ConnectRaw returns a client for the server that the flags and the kubeconfig
// name. Warnings of the server are passed over unless they are asked for.
func ConnectRaw(e *env.Env, warnings bool) (*Raw, error) {
	config, err := configOf(e)
	if err != nil {
		return nil, err
	}
	if !warnings {
		config.WarningHandler = rest.NoWarnings{}
	}
	config.GroupVersion, config.NegotiatedSerializer = &schema.GroupVersion{}, scheme.Codecs.WithoutConversion()
	config.ContentType = "application/json"
	if config.Timeout == 0 {
		config.Timeout = answerWithin // for each request
	}
	c, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &Raw{c}, nil
}

// Get decodes the answer of a path into a value.
func (r *Raw) Get(ctx context.Context, path string, into any) error {
	return decodeResult(r.client.Get().RequestURI(path).Do(ctx), into)
}

// Create creates an object at the path of its collection.
func (r *Raw) Create(ctx context.Context, path string, object, into any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return decodeResult(r.client.Post().RequestURI(path).Body(body).Do(ctx), into)
}

// Apply applies an object at its path by server-side apply.
func (r *Raw) Apply(ctx context.Context, path, manager string, force, dryRun bool, object, into any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	request := r.client.Patch(types.ApplyPatchType).AbsPath(path).Param("fieldManager", manager).Body(body)
	if force {
		request.Param("force", "true")
	}
	if dryRun {
		request.Param("dryRun", metav1.DryRunAll)
	}
	return decodeResult(request.Do(ctx), into)
}

// Patch changes the object at a path by a JSON patch.
func (r *Raw) Patch(ctx context.Context, path, manager string, patch []byte) error {
	return decodeResult(r.client.Patch(types.JSONPatchType).AbsPath(path).Param("fieldManager", manager).Body(patch).Do(ctx), nil)
}

// Delete deletes the object at a path. One that is gone already is no error.
func (r *Raw) Delete(ctx context.Context, path string, o *metav1.DeleteOptions) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := decodeResult(r.client.Delete().AbsPath(path).Body(body).Do(ctx), nil); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

func decodeResult(result rest.Result, into any) error {
	if err := result.Error(); err != nil {
		return err
	}
	body, err := result.Raw()
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	return nil
}

// Brief says in a few words why something could not be read.
func Brief(err error) string { return reasonFor(err) }
