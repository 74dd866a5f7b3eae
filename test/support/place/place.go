// Package place bounds how many control planes tests run at a time on this machine, however
// many packages and "go test" commands are under way.
//
// A control plane takes one of a few places before it starts. A place is a file that the
// test program holds locked, so the place of a killed program is free at once.
//
// It must not know what a control plane is.
package place

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	// countVariable is how many places there are.
	countVariable = "GATI_TEST_PLACES"
	// fewest is their number on machines with fewer cores: a suite waits most of its time.
	fewest = 4
	// pause is the time between two looks for a place.
	pause = 200 * time.Millisecond
)

// Take waits for a place, and says on stderr that it does. Call it before the tests run: the
// limit of -timeout counts from there. The place is free when release is called or the program ends.
func Take() (release func(), err error) {
	count, err := countPlaces()
	if err != nil {
		return nil, err
	}
	return takePlace(filepath.Join(os.TempDir(), fmt.Sprintf("gati-places-%d", os.Getuid())), count, os.Stderr)
}

// countPlaces returns how many control planes may run side by side.
func countPlaces() (int, error) {
	text := os.Getenv(countVariable)
	if text == "" {
		return max(fewest, runtime.NumCPU()), nil
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		return 0, fmt.Errorf("%s is %q; set it to how many control planes may run side by side, such as %d", countVariable, text, fewest)
	}
	return count, nil
}

func takePlace(folder string, count int, log io.Writer) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	for start, isTold := time.Now(), false; ; time.Sleep(pause) {
		file, err := lockAny(folder, count)
		switch {
		case err != nil:
			return nil, err
		case file != nil:
			if isTold {
				fmt.Fprintf(log, "got a place for a control plane after %s\n", time.Since(start).Round(time.Second))
			}
			return func() { _ = file.Close() }, nil
		case !isTold:
			fmt.Fprintf(log, "waiting for a place: %d control planes of tests run (%s; %s allows more)\n", count, folder, countVariable)
			isTold = true
		}
	}
}

// lockAny locks the first free place and writes whose it is; nil means that none is free.
func lockAny(folder string, count int) (*os.File, error) {
	for i := range count {
		file, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(i+1)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, errors.Join(file.Truncate(0), writeHolder(file))
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock a place in %s: %w", folder, err)
		}
	}
	return nil, nil
}

func writeHolder(file *os.File) error {
	_, err := fmt.Fprintf(file, "%s, process %d\n", filepath.Base(os.Args[0]), os.Getpid())
	return err
}
