package repository

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"k8s.io/utils/clock"

	v1 "gati.dev/gati/api/v1"
)

const (
	// maxBatch is how many changes one push may carry.
	maxBatch = 100
	// maxPause, times the races lost, bounds the pause before a push is made again.
	maxPause = 20 * time.Millisecond
	// writeTimeout bounds all that one push takes, lost races included.
	writeTimeout = time.Minute
	// maxAge is how long the branch counts as unchanged without a look at it.
	maxAge = time.Minute
	// firstDelay and maxDelay bound how soon a repository that failed is tried again.
	firstDelay = 5 * time.Second
	maxDelay   = 2 * time.Minute
)

// Author is who the commits name as author and committer.
type Author struct{ Name, Email string }

// Settings name a branch and its author.
type Settings struct {
	// URL is https://…, ssh://…, user@host:path or file:///….
	URL    string
	Branch string
	Author Author
	// Access returns the credentials. It is called before each connection, so that a
	// changed Secret needs no restart.
	Access func(context.Context) (Access, error)
	Clock  clock.PassiveClock
}

// Change is the desired content of a folder of the repository.
type Change struct {
	// Folder is the path in the repository.
	Folder string
	// Files are the files of the folder by name. Without any the folder is removed.
	Files map[string][]byte
	// Keep are further files, which stay as the branch has them where it has them.
	Keep []string
	// Index returns the content of IndexFile, which lists the others.
	Index func(names []string) []byte
	// Message is that of the commit. The files that it changes are added to it.
	Message string
}

// Result is the outcome of a change.
type Result struct {
	// Commit is the one that made the change; empty where the branch had it already.
	Commit string
	// Head is the commit of the branch that holds the change.
	Head string
	// Edited lists the files that others changed since they were written for this same
	// change. They are left as they are.
	Edited []string
}

// IsEdited reports whether others have edited a file, or the index that lists it.
func (r Result) IsEdited(file string) bool {
	return slices.Contains(r.Edited, file) || slices.Contains(r.Edited, IndexFile)
}

// Repository is one branch of a Git repository. It may be used concurrently.
type Repository struct {
	settings Settings
	remote   remote
	// turn holds a token while a push is under way; waiting are the changes for the next.
	turn    chan struct{}
	mu      sync.Mutex
	waiting []*entry
	health  health
	seen    map[string]seenFolder
}

// entry is a change with what became of it.
type entry struct {
	Change
	result Result
	err    error
	done   chan struct{}
}

// seenFolder is a folder as a write left it, and when the branch was last looked at.
type seenFolder struct {
	tree   plumbing.Hash
	result Result
	at     time.Time
}

// New returns a repository. It opens no connection.
func New(settings Settings) (*Repository, error) {
	remote, err := newRemote(settings.URL, settings.Branch)
	if err != nil {
		return nil, err
	}
	return &Repository{
		settings: settings, remote: remote, turn: make(chan struct{}, 1),
		health: health{clock: settings.Clock}, seen: map[string]seenFolder{},
	}, nil
}

// Write makes the folder of a change hold its files, and returns once the branch does.
// A change that the branch holds already costs no connection where it was looked at within the last minute.
func (r *Repository) Write(ctx context.Context, change Change) (Result, error) {
	if result, ok := r.Recall(change); ok {
		return result, nil
	}
	if err := r.health.checkRetry(); err != nil {
		return Result{}, err
	}
	e := &entry{Change: change, done: make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, e)
	r.mu.Unlock()
	for {
		select {
		case <-e.done:
			return e.result, e.err
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case r.turn <- struct{}{}:
			r.writeBatch(ctx, r.takeBatch())
			<-r.turn
		}
	}
}

// Failure returns why the last write failed; nil where it did not.
func (r *Repository) Failure() error { return r.health.lastFailure() }

// RetryAfter returns how soon a write may reach the repository again; zero when now.
func (r *Repository) RetryAfter() time.Duration { return r.health.retryAfter() }

// Recall returns the result of the last write of a folder, where it made the same files
// and the branch was looked at within the last minute: Write would open no connection.
func (r *Repository) Recall(change Change) (Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen, ok := r.seen[change.Folder]
	if !ok || r.settings.Clock.Since(seen.at) >= maxAge || seen.tree != hashChange(change) {
		return Result{}, false
	}
	result := seen.result
	result.Commit = ""
	return result, true
}

func (r *Repository) takeBatch() []*entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.waiting), maxBatch)
	batch := r.waiting[:n:n]
	r.waiting = r.waiting[n:]
	return batch
}

// writeBatch writes changes with one push. Who waits for the others must not lose them
// because the first caller gives up, so the batch has a deadline of its own.
func (r *Repository) writeBatch(ctx context.Context, batch []*entry) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	err := r.writeUntilWon(ctx, batch)
	r.health.notePush(err)
	now := r.settings.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range batch {
		if e.err = r.explainFailure(Access{}, e.err); e.err == nil {
			e.err = err
		}
		delete(r.seen, e.Folder)
		if e.err == nil && len(e.Files) > 0 {
			r.seen[e.Folder] = seenFolder{tree: hashChange(e.Change), result: e.result, at: now}
		}
		close(e.done)
	}
}

// writeUntilWon pushes a batch, again where another writer was faster, until its time is
// over.
func (r *Repository) writeUntilWon(ctx context.Context, batch []*entry) error {
	for lost := 1; ; lost++ {
		access, err := r.settings.Access(ctx)
		if err == nil {
			err = r.writeOnce(ctx, access, batch)
		}
		if !errors.Is(err, errLostRace) {
			return r.explainFailure(access, err)
		}
		if !pauseRandomly(ctx, lost) {
			return r.explainFailure(access, &Error{Reason: v1.ReasonRepositoryBusy, Err: fmt.Errorf("%d pushes lost a race", lost)})
		}
	}
}

// pauseRandomly waits a random time that grows with the races lost, so that two writers fall out
// of step. It reports whether there is time left.
func pauseRandomly(ctx context.Context, lost int) bool {
	timer := time.NewTimer(rand.N(time.Duration(min(lost, 10)) * maxPause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// writeOnce commits a batch on top of the branch as it is, and pushes it.
func (r *Repository) writeOnce(ctx context.Context, access Access, batch []*entry) error {
	sign, err := access.newSigner()
	if err != nil {
		return err
	}
	s, err := r.remote.open(ctx, access)
	if err != nil {
		return err
	}
	defer s.close()
	objects, err := s.objects(ctx)
	if err != nil {
		return err
	}
	b := builder{objects: objects, head: s.head(), author: r.settings.Author, sign: sign, now: r.settings.Clock.Now()}
	for _, e := range batch {
		e.result, e.err = b.commitChange(e.Change)
	}
	if b.head == s.head() {
		return nil
	}
	return s.push(ctx, b.head, b.added)
}
