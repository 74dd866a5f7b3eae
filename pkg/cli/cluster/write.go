package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Merge sends a merge patch of an object and updates it with the answer. On a dry run the
// server judges the patch and stores nothing.
func Merge(ctx context.Context, c client.Client, o client.Object, patch map[string]any, dryRun bool) error {
	raw, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	opts := []client.PatchOption{client.FieldOwner(v1.PluginManager)}
	if dryRun {
		opts = append(opts, client.DryRunAll)
	}
	return Explain(c.Patch(ctx, o, client.RawPatch(types.MergePatchType, raw), opts...))
}

// WhoAmI returns the caller's user name at the server. Every authenticated user may ask.
func WhoAmI(ctx context.Context, c client.Client) (string, error) {
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, review); err != nil {
		return "", Explain(err)
	}
	return review.Status.UserInfo.Username, nil
}

// Handler reads one GatiHandler and nothing else.
func Handler(ctx context.Context, c client.Reader, namespace, name string) (*v1.GatiHandler, error) {
	var h v1.GatiHandler
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &h); err != nil {
		return nil, Explain(err)
	}
	return &h, nil
}

// May reports whether the server's authorizers allow the caller an action. Every
// authenticated user may ask.
func May(ctx context.Context, c client.Client, what authorizationv1.ResourceAttributes) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what}}
	if err := c.Create(ctx, review); err != nil {
		return false, Explain(err)
	}
	return review.Status.Allowed, nil
}
