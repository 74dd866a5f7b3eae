// Package imagetar makes container images of single programs without a
// container engine.
//
// It must not know which programs.
package imagetar

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"runtime"
)

// Archive is an image of one static program for this machine's architecture, as
// a docker-archive. The same program gives the same bytes.
func Archive(tag, program string, content []byte) []byte {
	layer := writeArchive(file{program, 0o755, content})
	sum := sha256.Sum256(layer)
	config := encodeJSON(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": []string{"/" + program}, "User": "65535:65535"},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
		"history":      []any{map[string]any{"created_by": "devcluster"}},
	})
	manifest := encodeJSON([]any{map[string]any{
		"Config": "config.json", "RepoTags": []string{tag}, "Layers": []string{"layer.tar"},
	}})
	return writeArchive(file{"config.json", 0o644, config}, file{"layer.tar", 0o644, layer}, file{"manifest.json", 0o644, manifest})
}

type file struct {
	name    string
	mode    int64
	content []byte
}

// writeArchive writes to memory, which does not fail.
func writeArchive(files ...file) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Format: tar.FormatUSTAR})
		_, _ = w.Write(f.content)
	}
	_ = w.Close()
	return out.Bytes()
}

func encodeJSON(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic("devcluster: an image's description cannot be encoded: " + err.Error())
	}
	return data
}
