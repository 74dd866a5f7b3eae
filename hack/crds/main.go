// Command crds removes the defaults within lists from generated CRDs, and
// descriptions that "kubectl explain pod.spec" has as well. It bounds every list, map and
// string that has no bound, and lets quantities be numbers.
//
// The types of other projects that our specs embed have defaults, such as the kind
// of a parentRef. A three-way merge (kubectl, Argo CD, Helm) replaces a list as a
// whole: with a default in it, the same manifest is a change each time it is
// applied. Readers of such a field apply its default.
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
		if err := rewriteCRD(path); err != nil {
			fmt.Fprintf(os.Stderr, "crds: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func rewriteCRD(path string) error {
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
	versions, _ := asObject(file["spec"])["versions"].([]any)
	for _, v := range versions {
		whole := asObject(asObject(asObject(v)["schema"])["openAPIV3Schema"])
		if err := removeDefaults(whole, false, nil); err != nil {
			return err
		}
		acceptNumbers(whole, "")
		pod := asObject(asObject(asObject(whole["properties"])["spec"])["properties"])["pod"]
		for _, name := range undescribedPodFields {
			removeDescriptions(asObject(asObject(asObject(pod)["properties"])[name]))
		}
		for name, property := range asObject(whole["properties"]) {
			setBounds(asObject(property), name, name == "status")
		}
	}
	out, err := yaml.Marshal(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte("---\n"), out...), 0o644)
}

// undescribedPodFields are the fields of spec.pod that are the same as in every
// pod. Kubernetes describes them; a copy would be a fifth of the CRDs, which the
// plugin embeds.
var undescribedPodFields = []string{"affinity", "volumes"}

// removeDescriptions removes the descriptions below a schema and keeps its own.
func removeDescriptions(schema map[string]any) {
	below := []any{schema["items"], schema["additionalProperties"]}
	for _, property := range asObject(schema["properties"]) {
		below = append(below, property)
	}
	for _, one := range below {
		if inner := asObject(one); inner != nil {
			delete(inner, "description")
			removeDescriptions(inner)
		}
	}
}

// rulesWithoutDefaults are the rules of the Gateway API that read defaults,
// rewritten for fields that may be unset.
var rulesWithoutDefaults = map[string]string{
	"(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true": "((!has(self.group) || size(self.group) == 0) && (!has(self.kind) || self.kind == 'Service')) ? has(self.port) : true",

	"self.numerator <= self.denominator": "self.numerator <= (has(self.denominator) ? self.denominator : 100)",
}

// removeDefaults removes the defaults of properties within lists. keys are those of
// the list whose items a schema describes: they keep their defaults, which the API
// server requires. It fails if a rule reads a removed default.
func removeDefaults(schema map[string]any, listed bool, keys []any) error {
	var errs []error
	for name, property := range asObject(schema["properties"]) {
		p := asObject(property)
		if _, has := p["default"]; has && listed && !slices.Contains(keys, any(name)) {
			delete(p, "default")
			errs = append(errs, replaceRules(schema, name))
		}
		errs = append(errs, removeDefaults(p, listed, nil))
	}
	if items := asObject(schema["items"]); items != nil {
		keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
		errs = append(errs, removeDefaults(items, true, keys))
	}
	if values := asObject(schema["additionalProperties"]); values != nil {
		errs = append(errs, removeDefaults(values, listed, nil))
	}
	return errors.Join(errs...)
}

// replaceRules replaces the rules of an object that read a field as if it were
// always set.
func replaceRules(schema map[string]any, field string) error {
	rules, _ := schema["x-kubernetes-validations"].([]any)
	for _, r := range rules {
		rule := asObject(r)
		text, _ := rule["rule"].(string)
		if better, ok := rulesWithoutDefaults[strings.Join(strings.Fields(text), " ")]; ok {
			rule["rule"] = better
			continue
		}
		if strings.Contains(text, "self."+field) && !strings.Contains(text, "has(self."+field+")") {
			return fmt.Errorf("the rule %q reads %s, whose default is removed: restate it", text, field)
		}
	}
	return nil
}

const (
	// quantityPattern is Kubernetes' own for quantities, without the texts that no client can
	// parse: one such object would break every list that contains it.
	quantityPattern = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$`
	maxQuantity     = 32
)

// acceptNumbers makes every quantity below a schema a text or a number, as it is in a pod: a
// schema of integers or texts refuses cpu: 0.25. No type of a structural schema is both, so
// there is none, and lists, objects and truths are refused one by one. Rules cannot read
// such a field; divisors stay, which a rule enumerates.
func acceptNumbers(schema map[string]any, name string) {
	if schema["x-kubernetes-int-or-string"] == true && schema["pattern"] != nil && name != "divisor" {
		delete(schema, "x-kubernetes-int-or-string")
		delete(schema, "anyOf")
		for key, value := range map[string]any{
			"x-kubernetes-preserve-unknown-fields": true, "pattern": quantityPattern, "maxLength": maxQuantity,
			"minItems": 1, "maxItems": 0, "minProperties": 1, "maxProperties": 0, "not": map[string]any{"enum": []any{true, false}},
		} {
			schema[key] = value
		}
		return
	}
	for name, property := range asObject(schema["properties"]) {
		acceptNumbers(asObject(property), name)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below := asObject(schema[key]); below != nil {
			acceptNumbers(below, "")
		}
	}
}

// asObject returns a mapping, nil if the value is none.
func asObject(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}
