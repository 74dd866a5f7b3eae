package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/pkg/target/gitops/repository"
)

// Tools are the GitOps tools for which objects can be written.
var Tools = []string{"flux", "argocd"}

// syncFolder is beside those of the namespaces. No namespace has such a name.
const syncFolder = "_sync"

// Source is the repository and path that a tool reads.
type Source struct {
	URL, Branch, Path string
	// Secret is the name of a Secret in the namespace of Flux with the credentials; empty
	// where none are needed.
	Secret string
}

// SyncFiles returns the file with the objects that make a tool apply the plans of a
// repository.
func SyncFiles(tool string, s Source) (map[string][]byte, error) {
	endpoint, err := transport.NewEndpoint(s.URL)
	if err != nil {
		return nil, fmt.Errorf("parse the URL of the repository: %w", err)
	}
	if endpoint.Protocol == "file" {
		return nil, fmt.Errorf("%s cannot read %s: it needs https:// or ssh://", tool, s.URL)
	}
	s.URL = endpoint.String()
	objects := map[string]func(Source) []any{"flux": fluxObjects, "argocd": argoObjects}[tool]
	if objects == nil {
		return nil, fmt.Errorf("tool %q: want one of %s", tool, strings.Join(Tools, ", "))
	}
	var text bytes.Buffer
	for i, obj := range objects(s) {
		out, err := yaml.Marshal(obj)
		if err != nil {
			return nil, fmt.Errorf("encode the objects of %s: %w", tool, err)
		}
		if i > 0 {
			text.WriteString("---\n")
		}
		text.Write(out)
	}
	return map[string][]byte{tool + ".yaml": text.Bytes()}, nil
}

type object = map[string]any

// fluxObjects are a GitRepository, and a Kustomization of all plans.
func fluxObjects(s Source) []any {
	meta := object{"name": "gati", "namespace": "flux-system"}
	source := object{"interval": "1m", "url": s.URL, "ref": object{"branch": s.Branch}}
	if s.Secret != "" {
		source["secretRef"] = object{"name": s.Secret}
	}
	return []any{
		object{"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": meta, "spec": source},
		object{"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": meta, "spec": object{
			"interval": "1m", "path": "./" + strings.Trim(s.Path, "/"), "prune": true,
			"sourceRef": object{"kind": "GitRepository", "name": "gati"},
		}},
	}
}

// argoObjects are an ApplicationSet, which makes an Application of each folder.
func argoObjects(s Source) []any {
	root := strings.Trim(s.Path, "/")
	namespaceAt := 0
	if root != "" {
		namespaceAt = strings.Count(root, "/") + 1
	}
	return []any{object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
		"metadata": object{"name": "gati", "namespace": "argocd"},
		"spec": object{
			"goTemplate": true, "goTemplateOptions": []any{"missingkey=error"},
			"generators": []any{object{"git": object{
				"repoURL": s.URL, "revision": s.Branch, "directories": []any{object{"path": path.Join(root, "*", "*")}},
			}}},
			"template": object{
				"metadata": object{"name": fmt.Sprintf("{{index .path.segments %d}}-{{.path.basename}}", namespaceAt)},
				"spec": object{
					"project":     "default",
					"source":      object{"repoURL": s.URL, "targetRevision": s.Branch, "path": "{{.path.path}}"},
					"destination": object{"server": "https://kubernetes.default.svc", "namespace": fmt.Sprintf("{{index .path.segments %d}}", namespaceAt)},
					"syncPolicy": object{
						"automated":   object{"prune": true, "selfHeal": true},
						"syncOptions": []any{"ServerSideApply=true"},
					},
				},
			},
		},
	}}
}

// Sync commits the objects of a tool once, when this process leads.
type Sync struct {
	Repository *repository.Repository
	Tool       string
	Source     Source
}

// Start implements manager.Runnable. A repository that fails is tried again.
func (s Sync) Start(ctx context.Context) error {
	files, err := SyncFiles(s.Tool, s.Source)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	files[repository.Marker] = []byte("# gati-webhook writes this file: --git-sync=" + s.Tool + ".\n")
	change := repository.Change{
		Folder: strings.TrimPrefix(path.Join("/", s.Source.Path, syncFolder), "/"), Files: files,
		Message: "Objects for " + s.Tool + ": " + strings.Join(names, ", "),
	}
	for {
		_, err := s.Repository.Write(ctx, change)
		refused := (*repository.Error)(nil)
		if !errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(s.Repository.RetryAfter() + time.Second):
		}
	}
}

// NeedLeaderElection has one process alone write.
func (s Sync) NeedLeaderElection() bool { return true }
