package notify

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// storeName is the ConfigMap that has the state of each sink.
const storeName = "gati-notifications"

// Store keeps the delivered events.
type Store struct {
	// Reader asks the API server.
	Reader    client.Reader
	Writer    client.Client
	Namespace string
}

// load returns the stored states, by sink.
func (s Store) load(ctx context.Context) (*corev1.ConfigMap, error) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: storeName, Namespace: s.Namespace}}
	if err := s.Reader.Get(ctx, client.ObjectKeyFromObject(cm), cm); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read what was delivered: %w", err)
	}
	return cm, nil
}

// save stores the states over those that were loaded, and returns the stored ConfigMap. It
// fails with a conflict where another process has stored its own.
func (s Store) save(ctx context.Context, loaded *corev1.ConfigMap, states map[string]string) (*corev1.ConfigMap, error) {
	next := loaded.DeepCopy()
	next.Data = states
	var err error
	if loaded.ResourceVersion == "" {
		next.Labels = map[string]string{"app.kubernetes.io/name": storeName, "app.kubernetes.io/part-of": "gati"}
		err = s.Writer.Create(ctx, next, client.FieldOwner(v1.FieldManager))
	} else {
		err = s.Writer.Patch(ctx, next, client.MergeFromWithOptions(loaded, client.MergeFromWithOptimisticLock{}), client.FieldOwner(v1.FieldManager))
	}
	if err != nil {
		return nil, fmt.Errorf("store what was delivered: %w", err)
	}
	return next, nil
}

// isConflict reports whether another process has stored its states.
func isConflict(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}
