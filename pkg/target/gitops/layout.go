package gitops

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/target/gitops/repository"
)

// folderFor returns the folder of an owner's children: <path>/<namespace>/handler-<name>.
func folderFor(root string, owner client.Object) string {
	name := naming.ModuleChild(owner.GetName())
	if _, ok := owner.(*v1.GatiHandler); ok {
		name = naming.HandlerChild(owner.GetName())
	}
	return strings.TrimPrefix(path.Join("/", root, owner.GetNamespace(), name), "/")
}

// fileFor returns the file of a child. kind may have its group.
func fileFor(kind, name string) string {
	kind, _, _ = strings.Cut(kind, ".")
	return strings.ToLower(kind) + "-" + name + ".yaml"
}

// newChange returns the change that makes the folder of an owner hold objects, and keep
// the files of those that are held.
func newChange(root string, owner client.Object, objects []*unstructured.Unstructured, held []string) (repository.Change, error) {
	change := repository.Change{
		Folder: folderFor(root, owner), Files: map[string][]byte{}, Keep: held, Index: indexOf, Message: subjectOf(owner),
	}
	for _, obj := range objects {
		text, err := yaml.Marshal(obj.Object)
		if err != nil {
			return change, fmt.Errorf("encode %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
		change.Files[fileFor(obj.GetKind(), obj.GetName())] = text
	}
	change.Files[repository.Marker] = markerOf(owner, change.Files)
	return change, nil
}

// indexOf returns the kustomization of a folder.
func indexOf(names []string) []byte {
	var text strings.Builder
	text.WriteString("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n")
	for _, name := range names {
		fmt.Fprintf(&text, "- %s\n", name)
	}
	return []byte(text.String())
}

// markerOf returns the marker file of a folder: its owner, and the hash of the written
// content.
func markerOf(owner client.Object, files map[string][]byte) []byte {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(files[name]), files[name])
	}
	return fmt.Appendf(nil, "# gati-webhook writes these files. Change the %s, not them.\n%s: %s/%s\nplan: %s\n",
		kindOf(owner), strings.ToLower(kindOf(owner)), owner.GetNamespace(), owner.GetName(), hex.EncodeToString(sum.Sum(nil)[:8]))
}

func kindOf(owner client.Object) string {
	if _, ok := owner.(*v1.GatiHandler); ok {
		return "GatiHandler"
	}
	return "GatiModule"
}

// subjectOf returns the first line of a commit: whose plan it is, and for a handler the
// weights of its versions.
func subjectOf(owner client.Object) string {
	name := kindOf(owner) + " " + owner.GetNamespace() + "/" + owner.GetName()
	h, ok := owner.(*v1.GatiHandler)
	if !ok {
		return name
	}
	var weights []string
	for _, v := range slices.Backward(h.Status.Versions) {
		if v.Weight > 0 || v.Workload != "" {
			weights = append(weights, fmt.Sprintf("%s at %d %%", v.Version, v.Weight))
		}
	}
	if len(weights) == 0 {
		return name
	}
	return name + ": " + strings.Join(weights, ", ")
}

// newRemoval returns the change that removes the folder of an owner.
func newRemoval(root string, owner client.Object) repository.Change {
	return repository.Change{
		Folder:  folderFor(root, owner),
		Message: kindOf(owner) + " " + owner.GetNamespace() + "/" + owner.GetName() + " is deleted",
	}
}
