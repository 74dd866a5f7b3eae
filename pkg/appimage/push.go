package appimage

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Push writes an image to its registry, with the credentials that docker and podman have.
func Push(ctx context.Context, i Tagged) error {
	if err := remote.Write(i.Tag, i.Image, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return fmt.Errorf("push %s: %w", i.Tag, err)
	}
	return nil
}
