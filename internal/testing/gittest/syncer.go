package gittest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Syncer applies a repository to a cluster as Flux's kustomize-controller does: kustomize,
// server-side apply, pruning, again and again.
type Syncer struct {
	// Repository is the folder of a bare repository, Path what is below its root.
	Repository, Path string
	Cluster          client.Client

	mu sync.Mutex
	// isPaused keeps it from applying anything.
	isPaused bool
	// at is the commit that it has applied, with what the cluster has of it, and last when.
	at        string
	last      time.Time
	inventory map[string]*unstructured.Unstructured
	problem   error
}

const (
	// period is how often it looks for a commit, and tries what has failed again.
	period = 300 * time.Millisecond
	// driftPeriod is how often it puts drift back. To apply all that there is costs the API
	// server milliseconds for each object.
	driftPeriod = 3 * time.Second
)

// Run syncs for as long as the process lasts.
func (s *Syncer) Run() {
	for range time.Tick(period) {
		s.mu.Lock()
		if !s.isPaused {
			s.problem = s.sync(context.Background())
		}
		s.mu.Unlock()
	}
}

// Pause stops it, or lets it go on.
func (s *Syncer) Pause(isPaused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isPaused = isPaused
}

// Status returns what it has applied, and its last problem.
func (s *Syncer) Status() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("the syncer has applied %s: %v", s.at, s.problem)
}

func (s *Syncer) sync(ctx context.Context) error {
	head, err := exec.Command("git", "-C", s.Repository, "rev-parse", "--verify", "--quiet", "main").Output()
	if err != nil {
		return nil // There is no commit yet.
	}
	commit := strings.TrimSpace(string(head))
	if commit == s.at && s.problem == nil && time.Since(s.last) < driftPeriod {
		return nil
	}
	objects, err := s.build(commit)
	if err != nil {
		return err
	}
	now := map[string]*unstructured.Unstructured{}
	var failed error
	for _, obj := range objects {
		now[obj.GetKind()+"/"+obj.GetNamespace()+"/"+obj.GetName()] = obj
		sent := obj.DeepCopy()
		if err := s.Cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(sent), client.FieldOwner("kustomize-controller"), client.ForceOwnership); err != nil {
			failed = fmt.Errorf("apply %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
	for key, obj := range s.inventory {
		if now[key] == nil {
			if err := s.Cluster.Delete(ctx, obj); client.IgnoreNotFound(err) != nil {
				failed = err
			}
		}
	}
	s.inventory, s.at, s.last = now, commit, time.Now()
	return failed
}

// build returns what the kustomizations of a commit hold.
func (s *Syncer) build(commit string) ([]*unstructured.Unstructured, error) {
	files, folders, err := s.checkOut(commit)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, folder := range folders {
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, folder)
		if err != nil {
			return nil, fmt.Errorf("kustomize build %s: %w", folder, err)
		}
		for _, r := range built.Resources() {
			text, err := r.MarshalJSON()
			if err != nil {
				return nil, err
			}
			obj := &unstructured.Unstructured{}
			if err := obj.UnmarshalJSON(text); err != nil {
				return nil, err
			}
			out = append(out, obj)
		}
	}
	return out, nil
}

// checkOut returns the files of a commit below the path, and the folders that have a
// kustomization.
func (s *Syncer) checkOut(commit string) (files filesys.FileSystem, folders []string, err error) {
	archive, err := exec.Command("git", "-C", s.Repository, "archive", commit).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("git archive: %w", err)
	}
	files = filesys.MakeFsInMemory()
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, folders, nil
		}
		if err != nil {
			return nil, nil, err
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil, nil, err
		}
		if h.Typeflag != tar.TypeReg || s.Path != "" && !strings.HasPrefix(h.Name, s.Path+"/") {
			continue
		}
		if err := files.WriteFile("/"+h.Name, text); err != nil {
			return nil, nil, err
		}
		if path.Base(h.Name) == "kustomization.yaml" {
			folders = append(folders, "/"+path.Dir(h.Name))
		}
	}
}
