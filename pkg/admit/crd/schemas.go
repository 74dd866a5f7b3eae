package crd

import (
	"fmt"
	"io/fs"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// Shipped returns the kinds that this release installs. Reading them takes longer than
// checking an object, so it is done once.
var Shipped = sync.OnceValues(func() (*Schemas, error) {
	paths, err := fs.Glob(manifests.FS, "crd/gati.dev_*.yaml")
	if err != nil {
		return nil, err
	}
	all := make([][]byte, len(paths))
	for i, path := range paths {
		if all[i], err = manifests.FS.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return read(all...)
})

// Schemas are the kinds that a set of CRDs defines.
type Schemas struct {
	kinds map[schema.GroupVersionKind]*kind
}

// kind is one version of one kind.
type kind struct {
	structural, spec *structural.Structural
	whole            *node
}

// read parses manifests of one CRD each.
func read(manifests ...[]byte) (*Schemas, error) {
	out := &Schemas{kinds: map[schema.GroupVersionKind]*kind{}}
	for _, m := range manifests {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(m, &crd); err != nil {
			return nil, fmt.Errorf("read a CRD: %w", err)
		}
		for i := range crd.Spec.Versions {
			v := &crd.Spec.Versions[i]
			k, err := compile(v.Schema.OpenAPIV3Schema)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", crd.Name, v.Name, err)
			}
			out.kinds[schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}] = k
		}
	}
	return out, nil
}

func compile(props *apiextensionsv1.JSONSchemaProps) (*kind, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	spec := s.Properties["spec"]
	return &kind{structural: s, spec: &spec, whole: newNode(s)}, nil
}

// Has reports whether the kind is served.
func (s *Schemas) Has(gvk schema.GroupVersionKind) bool { return s.kinds[gvk] != nil }
