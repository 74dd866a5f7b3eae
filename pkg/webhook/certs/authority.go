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

// errOvertaken means that another replica wrote the Secret first, so it has to be
// read again.
var errOvertaken = errors.New("another replica was faster")

// errNotMade means that the process that makes the CA has not done so yet.
var errNotMade = errors.New("the controllers have not made it yet")

// authority keeps the CA in a Secret that all replicas share. The first replica of the
// controllers creates it; any of them replaces one that is unusable or due for renewal.
// Concurrent writes are resolved by resourceVersion: one succeeds, the others read
// its result.
type authority struct {
	client   client.WithWatch
	key      client.ObjectKey
	lifetime time.Duration
	// readOnly leaves the Secret to another process.
	readOnly bool
	log      logr.Logger
}

// ensureCA returns the CA of the Secret, and creates or replaces it where that is
// needed and allowed.
func (a *authority) ensureCA(ctx context.Context, now time.Time) (ca, error) {
	secret := &corev1.Secret{}
	err := a.client.Get(ctx, a.key, secret)
	if a.readOnly {
		return a.readCA(secret, err, now)
	}
	if apierrors.IsNotFound(err) {
		return a.createCA(ctx, now)
	}
	if err != nil {
		return ca{}, fmt.Errorf("read the CA: %w", err)
	}
	held, err := usableCA(secret, now)
	switch {
	case err != nil:
		return a.replaceCA(ctx, secret, now, err.Error())
	case needsRenewal(held.certificate, now):
		return a.replaceCA(ctx, secret, now, "a third of its life is left")
	}
	return held, nil
}

// readCA returns the CA of a Secret that another process writes. One that is due for
// renewal signs until it is replaced.
func (a *authority) readCA(secret *corev1.Secret, err error, now time.Time) (ca, error) {
	if apierrors.IsNotFound(err) {
		return ca{}, fmt.Errorf("wait for the CA in Secret %s: %w", a.key, errNotMade)
	}
	if err != nil {
		return ca{}, fmt.Errorf("read the CA: %w", err)
	}
	held, err := usableCA(secret, now)
	if err != nil {
		return ca{}, fmt.Errorf("wait for another CA in Secret %s, which the controllers write: %w", a.key, err)
	}
	return held, nil
}

func (a *authority) createCA(ctx context.Context, now time.Time) (ca, error) {
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
		return ca{}, errOvertaken
	}
	if err != nil {
		return ca{}, fmt.Errorf("create Secret %s for the CA: %w", a.key, err)
	}
	a.log.Info("made a CA", "secret", a.key.String())
	return usableCA(secret, now)
}

// replaceCA overwrites the Secret only if it is still the version that was read.
func (a *authority) replaceCA(ctx context.Context, secret *corev1.Secret, now time.Time, why string) (ca, error) {
	data, err := createCA(now, a.lifetime)
	if err != nil {
		return ca{}, err
	}
	secret.Data = data
	err = a.client.Update(ctx, secret, client.FieldOwner(fieldManager))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return ca{}, errOvertaken
	}
	if err != nil {
		return ca{}, fmt.Errorf("replace the CA in Secret %s, because %s: %w", a.key, why, err)
	}
	a.log.Info("replaced the CA", "secret", a.key.String(), "because", why)
	return usableCA(secret, now)
}

// watchSecret notifies of possible changes of the Secret until the context ends. A broken
// watch is opened again; events lost in between are covered by polling.
func (a *authority) watchSecret(ctx context.Context, changed notification) {
	for ctx.Err() == nil {
		events, err := a.client.Watch(ctx, &corev1.SecretList{},
			client.InNamespace(a.key.Namespace), client.MatchingFields{"metadata.name": a.key.Name})
		if err == nil {
			for range events.ResultChan() {
				changed.notify()
			}
			events.Stop()
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
	}
}
