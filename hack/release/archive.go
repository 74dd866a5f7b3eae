package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"time"
)

// file is one entry of an archive.
type file struct {
	name    string
	mode    int64
	content []byte
}

// writeTarGz returns a .tar.gz of files.
func writeTarGz(files []file) ([]byte, error) {
	plain, err := writeTar(files)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out) // the best level takes three times as long, and saves a hundredth
	if _, err := zip.Write(plain); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeTar returns a .tar of files. It has no times or owners, so that equal files give equal
// bytes.
func writeTar(files []file) ([]byte, error) {
	var out bytes.Buffer
	ball := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := ball.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := ball.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := ball.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// packFolder returns a .tar of the files in a folder, in the order of their names.
func packFolder(dir string) ([]byte, error) {
	var files []file
	folder := os.DirFS(dir)
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, name)
		files = append(files, file{name, 0o644, content})
		return err
	})
	if err != nil {
		return nil, err
	}
	return writeTar(files)
}

// hexSHA256 returns the SHA-256 of a file in hexadecimal digits.
func hexSHA256(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
