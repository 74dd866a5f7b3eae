package certs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// errBeaten says that another replica wrote the Secret first: read it again.
var errBeaten = errors.New("another replica was faster")

// authority keeps a CA in a Secret that all replicas share. Whoever comes first
// creates it; whoever finds it old or of no use replaces it. Of several who try at
// once one succeeds, and the others read what it wrote.
type authority struct {
	client   client.WithWatch
	key      client.ObjectKey
	lifetime time.Duration
	log      logr.Logger
}

// current returns the CA that the Secret holds, and sees to it that it holds one.
func (a *authority) current(ctx context.Context, now time.Time) (ca, error) {
	secret := &corev1.Secret{}
	err := a.client.Get(ctx, a.key, secret)
	if apierrors.IsNotFound(err) {
		return a.create(ctx, now)
	}
	if err != nil {
		return ca{}, fmt.Errorf("read the CA: %w", err)
	}
	held, err := usableCA(secret, now)
	switch {
	case err != nil:
		return a.replace(ctx, secret, now, err.Error())
	case aged(held.certificate, now):
		return a.replace(ctx, secret, now, "a third of its life is left")
	}
	return held, nil
}

func (a *authority) create(ctx context.Context, now time.Time) (ca, error) {
	data, err := createCA(now, a.lifetime)
	if err != nil {
		return ca{}, err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.key.Namespace, Name: a.key.Name,
			Labels: map[string]string{"app.kubernetes.io/part-of": "gati"},
		},
		Data: data,
	}
	err = a.client.Create(ctx, secret, client.FieldOwner(fieldManager))
	if apierrors.IsAlreadyExists(err) {
		return ca{}, errBeaten
	}
	if err != nil {
		return ca{}, fmt.Errorf("create Secret %s for the CA: %w", a.key, err)
	}
	a.log.Info("made a CA", "secret", a.key.String())
	return usableCA(secret, now)
}

// replace writes over what was read, and over nothing else.
func (a *authority) replace(ctx context.Context, secret *corev1.Secret, now time.Time, why string) (ca, error) {
	data, err := createCA(now, a.lifetime)
	if err != nil {
		return ca{}, err
	}
	secret.Data = data
	err = a.client.Update(ctx, secret, client.FieldOwner(fieldManager))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return ca{}, errBeaten
	}
	if err != nil {
		return ca{}, fmt.Errorf("replace the CA in Secret %s, because %s: %w", a.key, why, err)
	}
	a.log.Info("replaced the CA", "secret", a.key.String(), "because", why)
	return usableCA(secret, now)
}

// watch sets the signal whenever the Secret may have changed, until the context
// ends. A watch that breaks is begun anew; what it missed, a poll finds.
func (a *authority) watch(ctx context.Context, changed signal) {
	for ctx.Err() == nil {
		events, err := a.client.Watch(ctx, &corev1.SecretList{},
			client.InNamespace(a.key.Namespace), client.MatchingFields{"metadata.name": a.key.Name})
		if err == nil {
			for range events.ResultChan() {
				changed.set()
			}
			events.Stop()
		}
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
	}
}
