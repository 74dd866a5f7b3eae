package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// envMap converts environment variables: an object of names and values in
// v1alpha1, a list in v1, where an entry may refer to a Secret instead of
// having a value.
var envMap = &listMap{up: envToList, down: envFromList, merge: mergeEnv}

// envToList makes the list, sorted by name.
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

// envEntry is an entry as v1's own type is written: without an empty value.
func envEntry(name, value string) map[string]any {
	if value == "" {
		return map[string]any{"name": name}
	}
	return map[string]any{"name": name, "value": value}
}

// envFromList shows the entries that are a name and a value and nothing else.
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

// plainEnv reads an entry that v1alpha1 can show.
func plainEnv(entry map[string]any) (name, value string, ok bool) {
	name, ok = entry["name"].(string)
	if !ok || len(entry) == 1 {
		return name, "", ok
	}
	value, ok = entry["value"].(string)
	return name, value, ok && len(entry) == 2
}

// mergeEnv keeps the order of a list and the entries that v1alpha1 cannot show.
// Of the others, those with another value are changed, those that are no longer
// shown go, and new ones come last, sorted.
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
