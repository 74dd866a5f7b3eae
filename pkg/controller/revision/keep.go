// Package revision writes the ControllerRevisions that freeze pod templates. It
// must not know what a template holds.
package revision

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// Keep writes a revision that the cache does not show. Where an object of that
// name exists, it is either ours and too new for the cache, and the error says to
// try again; or it is another owner's or unreadable, and is returned as a child in
// trouble: nothing must run that no revision holds.
func Keep(ctx context.Context, c client.Client, live client.Reader, owner client.Object, want *appsv1.ControllerRevision) ([]target.Child, error) {
	err := c.Create(ctx, want, client.FieldOwner(v1.FieldManager))
	if err == nil {
		return nil, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("write revision %s: %w", want.Name, err)
	}
	var have appsv1.ControllerRevision
	if getErr := live.Get(ctx, client.ObjectKeyFromObject(want), &have); getErr != nil {
		return nil, getErr
	}
	child := target.Child{Kind: "ControllerRevision.apps", Name: want.Name}
	if !metav1.IsControlledBy(&have, owner) {
		child.Problem = &target.ForeignError{Kind: child.Kind, Namespace: want.Namespace, Name: want.Name, Owner: ownerOf(&have)}
		return []target.Child{child}, nil
	}
	if _, child.Problem = expand.ReadRevision(&have); child.Problem != nil {
		return []target.Child{child}, nil
	}
	return nil, err
}

func ownerOf(obj client.Object) string {
	if o := metav1.GetControllerOf(obj); o != nil {
		return o.Kind + " " + o.Name
	}
	return ""
}
