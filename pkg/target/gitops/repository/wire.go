package repository

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"
)

// maxKept bounds the objects that are kept in memory from one push to the next.
const maxKept = 50_000

// wire is a branch behind https or ssh.
type wire struct {
	endpoint transport.Endpoint
	branch   plumbing.ReferenceName
	// known is the commit whose trees store has.
	known plumbing.Hash
	store *memory.Storage
}

// pushSession is a connection to git-receive-pack.
type pushSession struct {
	*wire
	access       Access
	conn         transport.ReceivePackSession
	capabilities *capability.List
	at           plumbing.Hash
}

func (w *wire) open(ctx context.Context, access Access) (session, error) {
	conn, err := openConnection(ctx, func(client transport.Transport, auth transport.AuthMethod, to *transport.Endpoint) (transport.ReceivePackSession, error) {
		return client.NewReceivePackSession(to, auth)
	}, w.endpoint, access)
	if err != nil {
		return nil, err
	}
	s := &pushSession{wire: w, access: access, conn: conn, capabilities: capability.NewList()}
	refs, err := conn.AdvertisedReferencesContext(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return s, nil
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.capabilities = refs.Capabilities
	if s.at, err = findBranch(refs.References, w.branch); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// openConnection opens a connection within the time of a context, which ssh does not look at.
func openConnection[S io.Closer](ctx context.Context, dial func(transport.Transport, transport.AuthMethod, *transport.Endpoint) (S, error), to transport.Endpoint, access Access) (S, error) {
	var none S
	client, auth, err := access.connectTo(&to)
	if err != nil {
		return none, err
	}
	type answer struct {
		session S
		err     error
	}
	answers := make(chan answer, 1)
	go func() {
		s, err := dial(client, auth, &to)
		if err == nil && ctx.Err() != nil {
			s.Close()
		}
		answers <- answer{s, err}
	}()
	select {
	case a := <-answers:
		return a.session, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// findBranch returns the commit of a branch. Only a repository without any branch may
// lack it: the first commit makes it.
func findBranch(refs map[string]plumbing.Hash, branch plumbing.ReferenceName) (plumbing.Hash, error) {
	if at, ok := refs[branch.String()]; ok {
		return at, nil
	}
	var others []string
	for name := range refs {
		if other := plumbing.ReferenceName(name); other.IsBranch() {
			others = append(others, other.Short())
		}
	}
	if len(others) == 0 {
		return plumbing.ZeroHash, nil
	}
	return plumbing.ZeroHash, newBranchError(branch, others)
}

func (s *pushSession) head() plumbing.Hash { return s.at }

func (s *pushSession) close() { s.conn.Close() }

// objects returns the trees of the head, from memory where the last push made it.
func (s *pushSession) objects(ctx context.Context) (storer.EncodedObjectStorer, error) {
	if s.store != nil && s.known == s.at && len(s.store.Objects) < maxKept {
		return s.store, nil
	}
	s.store, s.known = memory.NewStorage(), s.at
	if s.at.IsZero() {
		return s.store, nil
	}
	err := s.fetchHead(ctx)
	if err != nil {
		s.store = nil
		return nil, fmt.Errorf("fetch %s: %w", s.branch.Short(), err)
	}
	return s.store, nil
}

// fetchHead brings the head without its history and, where the server can, without files.
func (s *pushSession) fetchHead(ctx context.Context) error {
	conn, err := openConnection(ctx, func(client transport.Transport, auth transport.AuthMethod, to *transport.Endpoint) (transport.UploadPackSession, error) {
		return client.NewUploadPackSession(to, auth)
	}, s.endpoint, s.access)
	if err != nil {
		return err
	}
	defer conn.Close()
	refs, err := conn.AdvertisedReferencesContext(ctx)
	if err != nil {
		return err
	}
	if refs.References[s.branch.String()] != s.at {
		return errLostRace
	}
	request := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	request.Wants = []plumbing.Hash{s.at}
	if refs.Capabilities.Supports(capability.Shallow) {
		request.Depth = packp.DepthCommits(1)
		if err := request.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
	}
	if refs.Capabilities.Supports(capability.Filter) {
		request.Filter = packp.FilterBlobNone()
		if err := request.Capabilities.Set(capability.Filter); err != nil {
			return err
		}
	}
	response, err := conn.UploadPack(ctx, request)
	if err != nil {
		return err
	}
	err = packfile.UpdateObjectStorage(s.store, demuxPack(request.Capabilities, response, nil))
	return errors.Join(err, response.Close())
}

// demuxPack separates a pack from the server's progress messages.
func demuxPack(l *capability.List, from io.Reader, told io.Writer) io.Reader {
	switch {
	case l.Supports(capability.Sideband64k):
		d := sideband.NewDemuxer(sideband.Sideband64k, from)
		d.Progress = told
		return d
	case l.Supports(capability.Sideband):
		d := sideband.NewDemuxer(sideband.Sideband, from)
		d.Progress = told
		return d
	}
	return from
}

func (s *pushSession) push(ctx context.Context, to plumbing.Hash, added []plumbing.Hash) error {
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, s.store, false).Encode(added, 0); err != nil {
		return fmt.Errorf("pack %d objects: %w", len(added), err)
	}
	var told bytes.Buffer
	request := packp.NewReferenceUpdateRequestFromCapabilities(s.capabilities)
	if s.capabilities.Supports(capability.Sideband64k) {
		request.Progress = &told
		if err := request.Capabilities.Set(capability.Sideband64k); err != nil {
			return err
		}
	}
	// The server compares Old with the branch under its lock.
	request.Commands = []*packp.Command{{Name: s.branch, Old: s.at, New: to}}
	request.Packfile = io.NopCloser(&pack)
	report, err := s.conn.ReceivePack(ctx, request)
	if err == nil {
		s.known = to
		return nil
	}
	s.store = nil // It has objects that the server lacks.
	if hasLostRace(report) {
		return errLostRace
	}
	if text := strings.TrimSpace(told.String()); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// hasLostRace reports whether a server refused because the branch has moved.
func hasLostRace(report *packp.ReportStatus) bool {
	if report == nil || report.UnpackStatus != "ok" {
		return false
	}
	for _, status := range report.CommandStatuses {
		for _, text := range []string{"fetch first", "non-fast-forward", "failed to update ref", "cannot lock ref", "incorrect old value", "reference already exists", "failed to lock"} {
			if strings.Contains(status.Status, text) {
				return true
			}
		}
	}
	return false
}
