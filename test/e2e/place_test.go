package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// place is where the cluster of a run is that keeps none. It is the same for each
// run of a checkout, so that a run removes what one before it, which was killed,
// has left: processes, mounts and links as well as files.
type place struct {
	dir  string
	lock *os.File
}

// claim takes this checkout's place, which one run at a time may have.
func claim() (*place, error) {
	checkout, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	// Not in the checkout, which may be below a directory that a node has of its own.
	p := &place{dir: filepath.Join(os.TempDir(), fmt.Sprintf("gati-e2e-%x", sha256.Sum256([]byte(checkout)))[:len("gati-e2e-")+12])}
	return p, p.claim()
}

func (p *place) claim() (err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	// The kernel lets go of it with the process, however that ends.
	if p.lock, err = os.OpenFile(filepath.Join(p.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := syscall.Flock(int(p.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("another run of this checkout's scenarios has %s; wait for its end: %w", p.dir, err), p.lock.Close())
	}
	return nil
}

func (p *place) cluster() string { return filepath.Join(p.dir, "cluster") }

// leave removes the files. A cluster that could not be removed stays where the
// next run finds it.
func (p *place) leave() {
	if _, err := os.Stat(p.cluster()); os.IsNotExist(err) {
		_ = os.RemoveAll(p.dir)
	}
	_ = p.lock.Close()
}
