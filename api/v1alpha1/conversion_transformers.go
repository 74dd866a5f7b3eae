package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// transformerMap converts transformers: bare names in v1alpha1; objects in v1, with
// either a name or a pair of versions.
var transformerMap = &listMap{up: transformersToList, down: transformersFromList, merge: mergeTransformers}

func transformersToList(path *field.Path, shown any) ([]any, error) {
	names, err := listAt(path, shown)
	if err != nil {
		return nil, err
	}
	list := make([]any, 0, len(names))
	for i, item := range names {
		name, ok := item.(string)
		if !ok {
			return nil, typeError(path.Index(i), "a string", item)
		}
		list = append(list, map[string]any{"name": name})
	}
	return list, nil
}

// transformersFromList returns the entries that consist of a name only.
func transformersFromList(path *field.Path, list []any) (any, error) {
	names := make([]any, 0, len(list))
	for i, item := range list {
		entry, ok := item.(map[string]any)
		if !ok {
			return nil, typeError(path.Index(i), "an object", item)
		}
		if name, ok := bareName(entry); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 && len(list) > 0 {
		return nil, nil
	}
	return names, nil
}

// bareName reads an entry that v1alpha1 can express.
func bareName(entry map[string]any) (string, bool) {
	name, ok := entry["name"].(string)
	return name, ok && len(entry) == 1
}

// mergeTransformers keeps the pairs in place and puts the visible names, in their
// order, into the places of the former names.
func mergeTransformers(list []any, shown any) []any {
	names, _ := shown.([]any)
	merged := make([]any, 0, len(list))
	for _, item := range list {
		entry, _ := item.(map[string]any)
		if _, bare := bareName(entry); !bare {
			merged = append(merged, item)
			continue
		}
		if len(names) > 0 {
			merged = append(merged, map[string]any{"name": names[0]})
			names = names[1:]
		}
	}
	for _, name := range names {
		merged = append(merged, map[string]any{"name": name})
	}
	return merged
}
