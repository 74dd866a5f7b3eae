package report

import "reflect"

// maxText is the most that the CRDs take as a text of a status, such as a message.
const maxText = 32768

// ClipTexts clips the texts of a status that are longer than the CRDs take, such as what an
// API server says that quotes a whole object: one of them would keep all else from being
// written. status is a pointer to a status that shares nothing with what a cache holds.
func ClipTexts(status any) { clipValue(reflect.ValueOf(status).Elem()) }

func clipValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); len(text) > maxText {
			v.SetString(clipText(text, maxText))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			clipValue(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			clipValue(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clipValue(v.Field(i))
			}
		}
	}
}
