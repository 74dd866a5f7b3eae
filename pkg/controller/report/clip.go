package report

import (
	"reflect"

	"gati.dev/gati/pkg/printable"
)

// maxText is the most that the CRDs take as a text of a status, such as a message.
const maxText = 32768

// CleanTexts escapes the characters that a terminal obeys in the texts of a status, since they
// quote what users and their pods say. It clips those that are longer than the CRDs take, such
// as a refusal that quotes a whole object: one of them would keep all else from being written.
// status is a pointer to a status that shares nothing with what a cache holds.
func CleanTexts(status any) { cleanValue(reflect.ValueOf(status).Elem()) }

func cleanValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if text := clipText(printable.Text(v.String()), maxText); text != v.String() {
			v.SetString(text)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			cleanValue(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanValue(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanValue(v.Field(i))
			}
		}
	}
}
