package repository

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"

	v1 "gati.dev/gati/api/v1"
)

// remote is where a branch is.
type remote interface {
	// open reads where the branch is now.
	open(ctx context.Context, access Access) (session, error)
}

// session is a branch as it was read once.
type session interface {
	// head is the commit of the branch; zero where the repository is empty.
	head() plumbing.Hash
	// objects returns a store with the head and its trees.
	objects(ctx context.Context) (storer.EncodedObjectStorer, error)
	// push moves the branch from head to a commit, with the objects that were added. It
	// returns errLostRace where the branch is no longer at head.
	push(ctx context.Context, to plumbing.Hash, added []plumbing.Hash) error
	close()
}

// newRemote returns the branch of a URL.
func newRemote(url, branch string) (remote, error) {
	endpoint, err := transport.NewEndpoint(url)
	if err != nil {
		return nil, &Error{Reason: v1.ReasonRepositoryInvalid, Err: fmt.Errorf("the URL of the repository is invalid: %w", err)}
	}
	name := plumbing.NewBranchReferenceName(branch)
	if err := name.Validate(); err != nil || branch == "" {
		return nil, &Error{Reason: v1.ReasonRepositoryInvalid, Err: fmt.Errorf("%q is no name of a branch", branch)}
	}
	switch {
	case endpoint.Password != "":
		return nil, &Error{Reason: v1.ReasonRepositoryInvalid, Err: fmt.Errorf("the URL of the repository has a password; keep it in the Secret")}
	case endpoint.Protocol == "https", endpoint.Protocol == "ssh":
		return &wire{endpoint: *endpoint, branch: name}, nil
	case endpoint.Protocol == "file" && strings.HasPrefix(url, "file://"):
		return &folder{path: endpoint.Path, branch: name}, nil
	}
	return nil, &Error{Reason: v1.ReasonRepositoryInvalid, Err: fmt.Errorf("the URL of the repository begins with %q; use https://, ssh:// or file://", endpoint.Protocol+"://")}
}
