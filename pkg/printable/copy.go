package printable

import "reflect"

// Copy returns a value with every string in it as Line. Parts without anything to
// escape are shared with the original, which is never changed. Unexported fields are
// left as they are.
func Copy[T any](value T) T {
	in := reflect.ValueOf(&value).Elem()
	if out, changed := cleanValue(in); changed {
		in.Set(out)
	}
	return value
}

// cleanValue returns the value with its strings escaped, and reports whether it differs.
func cleanValue(v reflect.Value) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.String:
		return cleanString(v)
	case reflect.Pointer, reflect.Interface:
		return cleanInner(v)
	case reflect.Slice:
		return cleanList(v)
	case reflect.Map:
		return cleanMap(v)
	case reflect.Struct:
		return cleanStruct(v)
	default:
		return v, false
	}
}

func cleanString(v reflect.Value) (reflect.Value, bool) {
	text := Line(v.String())
	if text == v.String() {
		return v, false
	}
	out := reflect.New(v.Type()).Elem()
	out.SetString(text)
	return out, true
}

// cleanInner cleans the value of a pointer or an interface.
func cleanInner(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	inner, changed := cleanValue(v.Elem())
	if !changed {
		return v, false
	}
	if v.Kind() == reflect.Pointer {
		inner = pointerTo(inner)
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(inner)
	return out, true
}

func pointerTo(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type())
	out.Elem().Set(v)
	return out
}

func cleanList(v reflect.Value) (reflect.Value, bool) {
	out, differs := v, false
	for i := range v.Len() {
		item, changed := cleanValue(v.Index(i))
		if !changed {
			continue
		}
		if !differs {
			out, differs = reflect.MakeSlice(v.Type(), v.Len(), v.Len()), true
			reflect.Copy(out, v)
		}
		out.Index(i).Set(item)
	}
	return out, differs
}

func cleanMap(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	out, differs := reflect.MakeMapWithSize(v.Type(), v.Len()), false
	for entries := v.MapRange(); entries.Next(); {
		key, newKey := cleanValue(entries.Key())
		value, newValue := cleanValue(entries.Value())
		out.SetMapIndex(key, value)
		differs = differs || newKey || newValue
	}
	if !differs {
		return v, false
	}
	return out, true
}

func cleanStruct(v reflect.Value) (reflect.Value, bool) {
	out, differs := v, false
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		field, changed := cleanValue(v.Field(i))
		if !changed {
			continue
		}
		if !differs {
			out, differs = reflect.New(v.Type()).Elem(), true
			out.Set(v)
		}
		out.Field(i).Set(field)
	}
	return out, differs
}
