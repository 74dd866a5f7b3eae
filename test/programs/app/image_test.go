package app

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"gati.dev/gati/internal/sampleapp"
)

// maxImage is the maximum size of the archive with all tags.
const maxImage = 80 << 20

// TestTheImageRuns starts each version from the files of its image and nothing
// else, as the user of the pods, and asks it who it is.
func TestTheImageRuns(t *testing.T) {
	archive := buildImage(t)
	root := t.TempDir()
	unpackImage(t, openImage(t, archive, sampleapp.Versions[0]), root)
	for _, version := range sampleapp.Versions {
		t.Run(version, func(t *testing.T) {
			config := configOf(t, openImage(t, archive, version))
			cmd := exec.Command(config.Entrypoint[0], append(config.Entrypoint[1:], config.Cmd...)...)
			cmd.Dir, cmd.SysProcAttr = config.WorkingDir, confineProcess(root)
			p := startCommand(t, cmd, config.Env)
			p.awaitListening()
			p.mustGet("/health", 200)
			if got := p.mustGet("/users/1", 200).header.Get("X-App-Version"); got != version {
				t.Errorf("it is %q", got)
			}
			p.sendSignal(syscall.SIGTERM)
			if code := p.awaitEnd(); code != 0 {
				t.Errorf("it ended with %d", code)
			}
		})
	}
}

// TestTagsShareTheirLayers holds that a version costs a node a few hundred bytes.
func TestTagsShareTheirLayers(t *testing.T) {
	archive := buildImage(t)
	info, err := os.Stat(archive)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the archive of %d tags has %.1f MiB", len(sampleapp.Versions), float64(info.Size())/(1<<20))
	if info.Size() > maxImage {
		t.Errorf("it has %d bytes, more than %d", info.Size(), maxImage)
	}
	var first []string
	for _, version := range sampleapp.Versions {
		image := openImage(t, archive, version)
		layers := layerDigests(t, image)
		if first == nil {
			first = layers
		}
		if !slices.Equal(layers, first) {
			t.Errorf("%s has layers %v, %s has %v", version, layers, sampleapp.Versions[0], first)
		}
		if config := configOf(t, image); config.User != "1001:1001" || config.WorkingDir != "/app" {
			t.Errorf("%s runs as %q in %q", version, config.User, config.WorkingDir)
		}
	}
}

func buildImage(t *testing.T) string {
	t.Helper()
	archive, err := sampleapp.Image(context.Background(), filepath.Join(repository, sampleapp.Dir))
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// confineProcess makes a directory the root of a process, and the user of the pods its
// user: a superuser may do that as it is, another in a user namespace of its own.
func confineProcess(root string) *syscall.SysProcAttr {
	if os.Getuid() == 0 {
		return &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	return &syscall.SysProcAttr{
		Chroot: root, Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
	}
}

func openImage(t *testing.T, archive, version string) v1.Image {
	t.Helper()
	tag, err := name.NewTag(sampleapp.Repository + ":" + version)
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(archive, &tag)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func configOf(t *testing.T, image v1.Image) v1.Config {
	t.Helper()
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return file.Config
}

func layerDigests(t *testing.T, image v1.Image) []string {
	t.Helper()
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, digest.String())
	}
	return out
}

// unpackImage lays out the files of an image as a container engine would.
func unpackImage(t *testing.T, image v1.Image, root string) {
	t.Helper()
	// The user of the pods has to get through to it.
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	content := mutate.Extract(image)
	defer content.Close()
	for files := tar.NewReader(content); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = placeFile(filepath.Join(root, header.Name), header, files)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func placeFile(path string, header *tar.Header, content io.Reader) error {
	mode := os.FileMode(header.Mode).Perm()
	if header.Typeflag == tar.TypeDir {
		if err := os.MkdirAll(path, mode); err != nil {
			return err
		}
	} else {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		if _, err := io.Copy(file, content); err != nil {
			return errors.Join(err, file.Close())
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	if os.Getuid() != 0 {
		return nil
	}
	return os.Lchown(path, header.Uid, header.Gid)
}
