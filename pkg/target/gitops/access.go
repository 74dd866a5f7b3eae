package gitops

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target/gitops/repository"
)

// Secrets name where the credentials of a repository are; an empty name is none.
type Secrets struct {
	Namespace string
	// Repository has the credentials, Signing the key that signs commits.
	Repository, Signing string
}

// Access returns a function that reads the Secrets from the API server.
func (s Secrets) Access(live client.Reader) func(context.Context) (repository.Access, error) {
	return func(ctx context.Context) (repository.Access, error) {
		credentials, err := s.readSecret(ctx, live, s.Repository)
		if err != nil {
			return repository.Access{}, err
		}
		signing, err := s.readSecret(ctx, live, s.Signing)
		return repository.NewAccess(credentials, signing), err
	}
}

func (s Secrets) readSecret(ctx context.Context, live client.Reader, name string) (map[string][]byte, error) {
	if name == "" {
		return nil, nil
	}
	var secret corev1.Secret
	err := live.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: name}, &secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, &repository.Error{Reason: v1.ReasonSecretMissing, Err: fmt.Errorf("there is no Secret %s/%s", s.Namespace, name)}
	case err != nil:
		return nil, &repository.Error{Reason: v1.ReasonSecretMissing, Err: fmt.Errorf("read Secret %s/%s: %w", s.Namespace, name, err)}
	}
	return secret.Data, nil
}
