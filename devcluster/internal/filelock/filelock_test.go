package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestExclusion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, waits atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			lock, err := File(context.Background(), path, func() { waits.Add(1) })
			if err != nil {
				t.Error(err)
				return
			}
			defer lock.Release()
			if n := inside.Add(1); n != 1 {
				t.Errorf("%d are inside", n)
			}
			time.Sleep(20 * time.Millisecond)
			inside.Add(-1)
		})
	}
	group.Wait()
	if waits.Load() == 0 {
		t.Error("onWait was not called")
	}
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	lock, err := Dir(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := Dir(ctx, dir, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestDirRemovedWhileWaiting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := Dir(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Dir(context.Background(), dir, func() {
		os.Remove(dir)
		lock.Release()
	})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one about the missing directory", err)
	}
}
