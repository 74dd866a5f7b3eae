// Command crds takes the defaults out of the lists in generated CRDs, and what
// "kubectl explain pod.spec" says anyway.
//
//	go run ./hack/crds manifests/crd/*.yaml
//
// The types of other projects that our specs embed bring defaults with them, such
// as the kind of a parentRef. Whoever applies by a three-way merge (kubectl, Argo
// CD, Helm) replaces a list as a whole: one default in it, and the same manifest
// is a change each time it is applied. What such a field means when it is left
// open is for its reader to know.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := rewrite(path); err != nil {
			fmt.Fprintf(os.Stderr, "crds: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func rewrite(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		return err
	}
	if file["kind"] != "CustomResourceDefinition" {
		return nil
	}
	versions, _ := object(file["spec"])["versions"].([]any)
	for _, v := range versions {
		whole := object(object(object(v)["schema"])["openAPIV3Schema"])
		if err := strip(whole, false, nil); err != nil {
			return err
		}
		pod := object(object(object(whole["properties"])["spec"])["properties"])["pod"]
		for _, name := range ofPods {
			silence(object(object(object(pod)["properties"])[name]))
		}
	}
	out, err := yaml.Marshal(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte("---\n"), out...), 0o644)
}

// ofPods are the fields of spec.pod that are as in every pod. What is below them is
// described by Kubernetes itself; twice, it would be a fifth of the CRDs, which the
// plugin carries.
var ofPods = []string{"affinity", "volumes"}

// silence removes the descriptions below a schema, and leaves its own.
func silence(schema map[string]any) {
	below := []any{schema["items"], schema["additionalProperties"]}
	for _, property := range object(schema["properties"]) {
		below = append(below, property)
	}
	for _, one := range below {
		if inner := object(one); inner != nil {
			delete(inner, "description")
			silence(inner)
		}
	}
}

// restated are the rules of the Gateway API that read defaults. Without them they
// have to say themselves what a field means that is left open.
var restated = map[string]string{
	"(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true": "((!has(self.group) || size(self.group) == 0) && (!has(self.kind) || self.kind == 'Service')) ? has(self.port) : true",

	"self.numerator <= self.denominator": "self.numerator <= (has(self.denominator) ? self.denominator : 100)",
}

// strip removes the defaults of the properties that are in a list. keys are those
// of the list whose items a schema describes: they keep their defaults, on which
// the API server insists. It fails on a rule that reads a default which is gone.
func strip(schema map[string]any, listed bool, keys []any) error {
	var errs []error
	for name, property := range object(schema["properties"]) {
		p := object(property)
		if _, has := p["default"]; has && listed && !slices.Contains(keys, any(name)) {
			delete(p, "default")
			errs = append(errs, restate(schema, name))
		}
		errs = append(errs, strip(p, listed, nil))
	}
	if items := object(schema["items"]); items != nil {
		keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
		errs = append(errs, strip(items, true, keys))
	}
	if values := object(schema["additionalProperties"]); values != nil {
		errs = append(errs, strip(values, listed, nil))
	}
	return errors.Join(errs...)
}

// restate replaces the rules of an object that read a field as if it were always
// there.
func restate(schema map[string]any, field string) error {
	rules, _ := schema["x-kubernetes-validations"].([]any)
	for _, r := range rules {
		rule := object(r)
		text, _ := rule["rule"].(string)
		if better, ok := restated[strings.Join(strings.Fields(text), " ")]; ok {
			rule["rule"] = better
			continue
		}
		if strings.Contains(text, "self."+field) && !strings.Contains(text, "has(self."+field+")") {
			return fmt.Errorf("the rule %q reads %s, whose default is removed: restate it", text, field)
		}
	}
	return nil
}

// object returns a mapping, nil where a value is none.
func object(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}
