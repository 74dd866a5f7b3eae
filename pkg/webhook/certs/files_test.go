package certs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
)

func TestFilesFollowsChanges(t *testing.T) {
	ca := newCA(t, "any", time.Now())
	first, second := leafOf(t, ca, time.Now(), time.Hour), leafOf(t, ca, time.Now(), 2*time.Hour)
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	certificate, key := pemFiles(t, first)
	write(fileCertificate, certificate)
	write(fileKey, key)
	f, err := NewFiles(dir, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Desired(nil); len(got) != 0 {
		t.Errorf("without %s there are %d CAs", fileCA, len(got))
	}
	write(fileCA, Bundle{ca.certificate}.PEM())
	if got := f.Desired(nil); len(got) != 1 {
		t.Errorf("got %d CAs, want 1", len(got))
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = f.Start(ctx) }()
	select {
	case <-f.Changed():
	case <-time.After(time.Minute):
		t.Fatal("it has not begun")
	}
	certificate, key = pemFiles(t, second)
	write(fileKey, key)
	write(fileCertificate, certificate)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		got, err := f.GetCertificate(nil)
		if err == nil && got.Leaf.NotAfter.Equal(second.Leaf.NotAfter) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the new certificate is not served")
		}
	}
}

func TestFilesSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	_, err := NewFiles(dir, logr.Discard())
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), fileCertificate) {
		t.Errorf("got %v, want the folder and the names of the files", err)
	}
}
