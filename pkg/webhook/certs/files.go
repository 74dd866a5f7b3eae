package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
)

// Names of the files, as in a Secret of type kubernetes.io/tls.
const (
	fileCertificate = "tls.crt"
	fileKey         = "tls.key"
	fileCA          = "ca.crt"
)

// Files is a Source backed by a folder with tls.crt, tls.key and, if the CA is to
// be injected from here, ca.crt. It follows changes of the files.
type Files struct {
	dir     string
	watcher *certwatcher.CertWatcher
	changed notification
	log     logr.Logger
}

var _ Source = (*Files)(nil)

// NewFiles reads the folder once and fails if it has no certificate.
func NewFiles(dir string, log logr.Logger) (*Files, error) {
	watcher, err := certwatcher.New(filepath.Join(dir, fileCertificate), filepath.Join(dir, fileKey))
	if err != nil {
		return nil, fmt.Errorf("read the serving certificate in %s (want %s and %s): %w", dir, fileCertificate, fileKey, err)
	}
	return &Files{dir: dir, watcher: watcher, changed: newNotification(), log: log}, nil
}

// Start follows the files.
func (f *Files) Start(ctx context.Context) error {
	f.watcher.RegisterCallback(func(certificate tls.Certificate) {
		if certificate.Leaf != nil {
			f.log.Info("serving a certificate from files", "dir", f.dir, "notAfter", certificate.Leaf.NotAfter.Format(time.RFC3339))
		}
		f.changed.notify()
	})
	return f.watcher.Start(ctx)
}

// GetCertificate implements Source.
func (f *Files) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	certificate, err := f.watcher.GetCertificate(hello)
	if err == nil && certificate == nil {
		return nil, ErrNoCertificate
	}
	return certificate, err
}

// Desired returns the content of ca.crt. The writer of the file is responsible for
// an overlap of CAs.
func (f *Files) Desired(Bundle) Bundle {
	path := filepath.Join(f.dir, fileCA)
	data, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.log.Error(err, "the CA cannot be injected", "file", path)
		}
		return nil
	}
	bundle, err := ParseBundle(data)
	if err != nil {
		f.log.Error(err, "the CA cannot be injected", "file", path)
		return nil
	}
	return bundle
}

// Published implements Source. The files are served whether the bundle is published
// or not.
func (f *Files) Published(Bundle) {}

// Changed implements Source.
func (f *Files) Changed() <-chan struct{} { return f.changed }
