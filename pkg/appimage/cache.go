package appimage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// cacheDir returns the directory of the parts of images.
func cacheDir() (string, error) {
	root := os.Getenv("GATI_CACHE")
	if root == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place for the parts of images: %w; set GATI_CACHE to a directory of yours", err)
		}
		root = filepath.Join(home, ".cache", "gati")
	}
	dir, err := filepath.Abs(filepath.Join(root, "applications"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// ensureCached returns the entry of a name in the cache, and makes it if it is
// missing. An entry appears whole or not at all, because make writes to another
// name. If two processes make it concurrently, the first to finish wins.
func ensureCached(name string, make func(path string) error) (string, error) {
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	entry := filepath.Join(dir, name)
	if _, err := os.Stat(entry); err == nil {
		return entry, nil
	}
	work, err := os.MkdirTemp(dir, ".making-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	partial := filepath.Join(work, name)
	if err := make(partial); err != nil {
		return "", err
	}
	if err := os.Rename(partial, entry); err != nil {
		if _, there := os.Stat(entry); there != nil {
			return "", err
		}
	}
	return entry, nil
}

// cacheKey returns a short name for texts and the contents of files. The texts
// describe how the entry is made.
func cacheKey(texts, files []string) (string, error) {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s\n", len(text), text)
	}
	for _, path := range files {
		if err := hashFile(sum, path); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func hashFile(to io.Writer, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "%s %d\n", filepath.Base(path), info.Size())
	_, err = io.Copy(to, file)
	return err
}
