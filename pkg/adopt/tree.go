package adopt

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// tree is a part of an object's content, with the path that leads to it.
type tree struct {
	object  *object
	content map[string]any
	path    string
}

// object is one object of the source. Its content shrinks to what is not carried over.
type object struct {
	title   string
	content map[string]any
	// opened has the paths whose fields are known one by one. Below others, what is left is
	// reported as one value.
	opened map[string]bool
	// items has the paths of items of lists by their indices, since the keys in them may be
	// taken out.
	items map[string]string
	// claimed has the paths of items of which at least a part is carried over.
	claimed map[string]bool
}

// newObject copies an object's content, so that taking from it leaves the source alone.
func newObject(kind, name string, content map[string]any) *object {
	text, _ := json.Marshal(content) // it was decoded from JSON
	o := &object{title: kind + "/" + name, opened: map[string]bool{"": true}, items: map[string]string{}, claimed: map[string]bool{}}
	_ = json.Unmarshal(text, &o.content)
	return o
}

func (o *object) root() tree { return tree{object: o, content: o.content} }

// enter returns the object below a field, an empty one where there is none.
func (t tree) enter(name string) tree {
	path := joinPath(t.path, name)
	content, found := t.content[name].(map[string]any)
	if found {
		t.object.opened[path] = true
	}
	return tree{t.object, content, path}
}

// claim marks an item of a list as carried over: what is left of it is reported by itself.
func (t tree) claim() tree {
	t.object.claimed[t.path] = true
	return t
}

// has reports whether a field is set.
func (t tree) has(name string) bool { return !isEmpty(t.content[name]) }

// list returns the objects in the list of a field.
func (t tree) list(name string) []tree {
	path := joinPath(t.path, name)
	all, _ := t.content[name].([]any)
	var out []tree
	for i, item := range all {
		if content, isObject := item.(map[string]any); isObject {
			at := t.object.itemPath(path, i, item)
			t.object.opened[path], t.object.opened[at] = true, true
			out = append(out, tree{t.object, content, at})
		}
	}
	return out
}

// take decodes the value of a field and takes out as much of it as T can express. What T
// does not know, or all of a value of another form, stays.
func take[T any](t tree, name string) T {
	out, _ := decodeAs[T](t.content[name])
	t.drop(name, out)
	return out
}

// takeItem is take for a whole item of a list.
func takeItem[T any](t tree) T {
	out, isDecoded := decodeAs[T](t.content)
	if isDecoded {
		t.claim()
		rest, _ := subtract(t.object, t.path, t.content, encode(out)).(map[string]any)
		clear(t.content)
		maps.Copy(t.content, rest)
	}
	return out
}

// peek is take that leaves the value.
func peek[T any](t tree, name string) T {
	out, _ := decodeAs[T](t.content[name])
	return out
}

// drop takes out what of a field a value expresses.
func (t tree) drop(name string, value any) {
	kept := encode(value)
	if rest := subtract(t.object, joinPath(t.path, name), t.content[name], kept); rest != nil {
		t.content[name] = rest
		return
	}
	delete(t.content, name)
}

// dropAll takes out fields that need no place in a handler.
func (t tree) dropAll(names ...string) {
	for _, name := range names {
		delete(t.content, name)
	}
}

// dropEqual takes out the field if it has one of some values, and reports whether it is gone.
func (t tree) dropEqual(name string, values ...any) bool {
	for _, value := range values {
		if reflect.DeepEqual(encode(t.content[name]), encode(value)) {
			delete(t.content, name)
		}
	}
	return !t.has(name)
}

func decodeAs[T any](value any) (out T, isDecoded bool) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return *new(T), false
	}
	return out, true
}

// encode returns a value in the form of decoded JSON.
func encode(value any) (out any) {
	text, _ := json.Marshal(value)
	_ = json.Unmarshal(text, &out)
	return out
}

// subtract returns what of a value is not among what is kept, nil for nothing. Values may be
// spelled in another way: only their fields are compared.
func subtract(o *object, path string, value, kept any) any {
	if isEmpty(value) {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		has, isObject := kept.(map[string]any)
		if !isObject || len(has) == 0 {
			return value
		}
		o.opened[path] = true
		out := map[string]any{}
		for name, v := range value {
			if rest := subtract(o, joinPath(path, name), v, has[name]); rest != nil {
				out[name] = rest
			}
		}
		return orNothing(out)
	case []any:
		has, isList := kept.([]any)
		if !isList || len(has) != len(value) {
			return value
		}
		o.opened[path] = true
		return subtractItems(o, path, value, has)
	default:
		if isEmpty(kept) {
			return value
		}
		return nil
	}
}

func subtractItems(o *object, path string, value, kept []any) any {
	out := map[string]any{}
	for i, v := range value {
		at := o.itemPath(path, i, v)
		if rest := subtract(o, at, v, kept[i]); rest != nil {
			out[strings.TrimPrefix(at, path)] = rest
		}
	}
	return orNothing(out)
}

func orNothing(content map[string]any) any {
	if len(content) == 0 {
		return nil
	}
	return content
}

// isEmpty reports whether a value is as good as absent: null, false, an empty text or nothing
// but such. A zero is a number that was chosen.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, field := range v {
			if !isEmpty(field) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !isEmpty(item) })
	case bool:
		return !v
	case string:
		return v == ""
	default:
		return false
	}
}

func joinPath(path, name string) string {
	switch {
	case name == "", path == "", strings.HasPrefix(name, "["):
		return path + name
	case strings.ContainsAny(name, "./"):
		return path + "[" + name + "]"
	default:
		return path + "." + name
	}
}

// itemPath names an item of a list, and keeps the name.
func (o *object) itemPath(path string, i int, item any) string {
	byIndex := fmt.Sprintf("%s[%d]", path, i)
	if name, isNamed := o.items[byIndex]; isNamed {
		return name
	}
	name := itemPath(path, i, item)
	for _, other := range o.items {
		if other == name {
			name = byIndex
		}
	}
	o.items[byIndex] = name
	return name
}

// itemPath names an item of a list by its key, else by its index.
func itemPath(path string, i int, item any) string {
	content, _ := item.(map[string]any)
	for _, key := range []string{"mountPath", "containerPort", "name"} {
		if value := content[key]; !isEmpty(value) {
			return fmt.Sprintf("%s[%v]", path, value)
		}
	}
	return fmt.Sprintf("%s[%d]", path, i)
}
