package imagetar

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"testing"
)

func TestArchive(t *testing.T) {
	image := Archive("example.org/app:1", "app", []byte("program"))
	if !bytes.Equal(image, Archive("example.org/app:1", "app", []byte("program"))) {
		t.Error("two archives of one program differ")
	}
	files := untar(t, image)
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 || manifest[0].RepoTags[0] != "example.org/app:1" {
		t.Fatalf("the manifest is %s (%v)", files["manifest.json"], err)
	}
	var config struct {
		OS     string
		Config struct{ Entrypoint []string }
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(files[manifest[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	layer := files[manifest[0].Layers[0]]
	sum := sha256.Sum256(layer)
	if config.OS != "linux" || config.Config.Entrypoint[0] != "/app" || config.RootFS.DiffIDs[0] != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Errorf("the configuration is %+v", config)
	}
	if content := untar(t, layer)["app"]; string(content) != "program" {
		t.Errorf("the layer holds %q", content)
	}
}

func untar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
