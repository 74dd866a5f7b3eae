package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"time"
)

// file is one entry of an archive.
type file struct {
	name, source string
	mode         int64
}

// writeArchive writes a .tar.gz and returns its checksum. It has no times or
// owners, so that equal files give equal bytes.
func writeArchive(path string, files []file) (sum string, err error) {
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
	}()
	hash := sha256.New()
	if err := writeTarGz(io.MultiWriter(out, hash), files); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func writeTarGz(w io.Writer, files []file) error {
	zip := gzip.NewWriter(w) // the best level takes three times as long, and saves a hundredth
	ball := tar.NewWriter(zip)
	for _, f := range files {
		content, err := os.ReadFile(f.source)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(content)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := ball.WriteHeader(header); err != nil {
			return err
		}
		if _, err := ball.Write(content); err != nil {
			return err
		}
	}
	if err := ball.Close(); err != nil {
		return err
	}
	return zip.Close()
}
