package random

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

// SharedMemory returns the path of a pointer, map or slice of b that a holds as
// well, or nothing: a write through one changes the other.
func SharedMemory(a, b any) string {
	held := map[uintptr]bool{}
	walkPointers(reflect.ValueOf(a), "", func(_ string, p uintptr) { held[p] = true })
	shared := ""
	walkPointers(reflect.ValueOf(b), "", func(path string, p uintptr) {
		if held[p] && shared == "" {
			shared = path
		}
	})
	return shared
}

var quantity = reflect.TypeFor[resource.Quantity]()

func walkPointers(v reflect.Value, path string, visit func(string, uintptr)) {
	switch v.Kind() {
	case reflect.Pointer:
		// All empty structs may have one address, and nothing to write to.
		if !v.IsNil() && v.Elem().Type().Size() > 0 {
			visit(path, v.Pointer())
			walkPointers(v.Elem(), path, visit)
		}
	case reflect.Interface:
		if !v.IsNil() {
			walkPointers(v.Elem(), path, visit)
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		visit(path, v.Pointer())
		for _, key := range v.MapKeys() {
			walkPointers(v.MapIndex(key), fmt.Sprintf("%s[%v]", path, key), visit)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		visit(path, v.Pointer())
		for i := range v.Len() {
			walkPointers(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case reflect.Struct:
		if v.Type() == quantity {
			return
		}
		for i := range v.NumField() {
			walkPointers(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	}
}
