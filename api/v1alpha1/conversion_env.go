package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// envMap converts environment variables: an object of names and values in v1alpha1; a
// list in v1, whose entries may refer to a Secret instead.
var envMap = &listMap{up: envToList, down: envFromList, merge: mergeEnv}

// envToList returns the list, sorted by name.
func envToList(path *field.Path, shown any) ([]any, error) {
	env, ok := shown.(map[string]any)
	if !ok {
		return nil, typeError(path, "an object", shown)
	}
	list := make([]any, 0, len(env))
	for _, name := range sortedKeys(env) {
		value, ok := env[name].(string)
		if !ok {
			return nil, fmt.Errorf("%w; write the value in quotes", typeError(path.Key(name), "a string", env[name]))
		}
		list = append(list, envEntry(name, value))
	}
	return list, nil
}

// envEntry returns an entry in the form of v1's own type: without an empty value.
func envEntry(name, value string) map[string]any {
	if value == "" {
		return map[string]any{"name": name}
	}
	return map[string]any{"name": name, "value": value}
}

// envFromList returns the entries that consist of a name and a value only.
func envFromList(path *field.Path, list []any) (any, error) {
	env := make(map[string]any, len(list))
	for i, item := range list {
		entry, ok := item.(map[string]any)
		if !ok {
			return nil, typeError(path.Index(i), "an object", item)
		}
		if name, value, ok := plainEnv(entry); ok {
			env[name] = value
		}
	}
	if len(env) == 0 && len(list) > 0 {
		return nil, nil
	}
	return env, nil
}

// plainEnv reads an entry that v1alpha1 can express.
func plainEnv(entry map[string]any) (name, value string, ok bool) {
	name, ok = entry["name"].(string)
	if !ok || len(entry) == 1 {
		return name, "", ok
	}
	value, ok = entry["value"].(string)
	return name, value, ok && len(entry) == 2
}

// mergeEnv keeps the order of the list and the entries that v1alpha1 cannot express.
// Other entries follow the visible ones: changed values are set, missing ones are
// dropped, new ones are appended in sorted order.
func mergeEnv(list []any, shown any) []any {
	env, _ := shown.(map[string]any)
	merged, placed := make([]any, 0, len(list)), map[string]bool{}
	for _, item := range list {
		entry, _ := item.(map[string]any)
		name, _ := entry["name"].(string)
		_, was, plain := plainEnv(entry)
		now, wanted := env[name].(string)
		switch {
		case wanted && placed[name]:
		case wanted && plain && was == now:
			merged = append(merged, item)
		case wanted:
			merged = append(merged, envEntry(name, now))
		case !plain:
			merged = append(merged, item)
		}
		placed[name] = placed[name] || wanted
	}
	for _, name := range sortedKeys(env) {
		if value, ok := env[name].(string); ok && !placed[name] {
			merged = append(merged, envEntry(name, value))
		}
	}
	return merged
}
