package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	certManager = ".Values.certManager.enabled"
	// injectCA is the annotation by which cert-manager fills in a caBundle.
	injectCA = "cert-manager.io/inject-ca-from"
	// crdKind is the kind of the objects that people may manage apart from the chart.
	crdKind = "CustomResourceDefinition"
)

// document is an object of the chart and when it is part of a release.
type document struct {
	object *unstructured.Unstructured
	// condition is the template's condition; empty means always.
	condition string
}

func objectKey(object *unstructured.Unstructured) string {
	return strings.Join([]string{object.GetKind(), object.GetNamespace(), object.GetName()}, "/")
}

// mergeVariants returns the objects of both ways to get certificates. An object that differs in
// more than an annotation is there twice, each time under its condition.
func mergeVariants(self, managed []*unstructured.Unstructured) []document {
	others := map[string]*unstructured.Unstructured{}
	for _, object := range managed {
		others[objectKey(object)] = object
	}
	var out []document
	for _, object := range self {
		other := others[objectKey(object)]
		delete(others, objectKey(object))
		switch {
		case other != nil && equality.Semantic.DeepEqual(object, other):
			out = append(out, document{object: object})
		case other != nil && equality.Semantic.DeepEqual(object, withoutInjection(other)):
			out = append(out, document{object: other})
		default:
			out = append(out, document{object: object, condition: "not " + certManager})
			if other != nil {
				out = append(out, document{object: other, condition: certManager})
			}
		}
	}
	for _, object := range managed {
		if others[objectKey(object)] != nil {
			out = append(out, document{object: object, condition: certManager})
		}
	}
	return out
}

func withoutInjection(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = object.DeepCopy()
	annotations := object.GetAnnotations()
	delete(annotations, injectCA)
	if len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
	return object
}

func (d document) name() string { return d.object.GetKind() + " " + d.object.GetName() }

// fileName is where the document goes: those of a kind share a file, and a CRD has its own.
func (d document) fileName() string {
	name := strings.ToLower(d.object.GetKind())
	if d.object.GetKind() == crdKind {
		name = "crd-" + strings.TrimSuffix(d.object.GetName(), ".gati.dev")
	}
	return name + ".yaml"
}

// renderTemplate returns the document as a part of a template.
func (d document) renderTemplate() (string, error) {
	var s slots
	if err := s.fillFields(d); err != nil {
		return "", err
	}
	text, err := yaml.Marshal(d.object.Object)
	if err != nil {
		return "", err
	}
	body, err := s.replacePlaceholders(string(text))
	if err != nil {
		return "", err
	}
	body = "---\n" + body
	if condition := d.renderCondition(); condition != "" {
		body = fmt.Sprintf("{{- if %s }}\n%s{{- end }}\n", condition, body)
	}
	return body, nil
}

// renderCondition returns the condition under which the document is part of a release.
func (d document) renderCondition() string {
	switch d.object.GetKind() {
	case "Namespace":
		return ".Values.namespace.create"
	case crdKind:
		return ".Values.crds.enabled"
	}
	return d.condition
}
