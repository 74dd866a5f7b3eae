// Package filelock takes exclusive locks between processes, on files or on
// directories. The kernel drops such a lock when its holder dies, however it
// dies, so a killed launcher never blocks the next one.
//
// It must not know what the locks protect.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// pollInterval is how often a waiter looks again. Waiting by polling, instead
// of a blocking flock, is what lets a waiter be cancelled.
const pollInterval = 100 * time.Millisecond

// Lock is a held lock.
type Lock struct{ file *os.File }

// File locks a file, which it creates when it is missing.
func File(ctx context.Context, path string, onWait func()) (*Lock, error) {
	open := func() (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) }
	return acquireLock(ctx, path, open, onWait)
}

// Dir locks a directory that exists. The error wraps fs.ErrNotExist when it
// does not, or when it went away while another process held it.
func Dir(ctx context.Context, path string, onWait func()) (*Lock, error) {
	open := func() (*os.File, error) { return os.Open(path) }
	return acquireLock(ctx, path, open, onWait)
}

// Release gives the lock back.
func (l *Lock) Release() { l.file.Close() }

// acquireLock opens and locks until the thing it locked is also the thing that
// the path names: the previous holder may have removed or replaced it.
func acquireLock(ctx context.Context, path string, open func() (*os.File, error), onWait func()) (*Lock, error) {
	for {
		file, err := open()
		if err != nil {
			return nil, fmt.Errorf("open %s to lock it: %w", path, err)
		}
		if err := flock(ctx, file, onWait); err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		same, err := stillNames(path, file)
		if err == nil && same {
			return &Lock{file: file}, nil
		}
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// flock waits for the lock on an open file. It calls onWait once, before the
// first wait.
func flock(ctx context.Context, file *os.File, onWait func()) error {
	waited := false
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		if !waited && onWait != nil {
			onWait()
		}
		waited = true
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}

// stillNames reports whether the path still leads to the open file. A path that
// leads nowhere is not an error here: the next open decides what that means.
func stillNames(path string, file *os.File) (bool, error) {
	opened, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(opened, named), nil
}
