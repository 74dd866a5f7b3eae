package cluster

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// May reports whether the caller may do something, as the server's authorizers say.
// Everybody who is authenticated may ask.
func May(ctx context.Context, c client.Client, what authorizationv1.ResourceAttributes) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what}}
	if err := c.Create(ctx, review); err != nil {
		return false, Explain(err)
	}
	return review.Status.Allowed, nil
}
