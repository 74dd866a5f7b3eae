package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/controller/report"
)

// TestClippedStatusesFit fills each text of a status with more than any CRD takes. A status
// that the API server refuses would hide every later one.
func TestClippedStatusesFit(t *testing.T) {
	schemas, err := crd.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ä€", 30_000)
	for kind, status := range map[string]any{"GatiHandler": &v1.GatiHandlerStatus{}, "GatiModule": &v1.GatiModuleStatus{}, "GatiVersion": &v1.GatiVersionStatus{}} {
		filled := fillTexts(reflect.ValueOf(status).Elem(), long)
		report.ClipTexts(status)
		text, err := json.Marshal(status)
		if err != nil || !utf8.Valid(text) || strings.Contains(string(text), "�") {
			t.Fatalf("%s: %v, valid UTF-8: %t", kind, err, utf8.Valid(text))
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON([]byte(`{"apiVersion":"gati.dev/v1","kind":"` + kind + `","metadata":{"name":"a"},"spec":{},"status":` + string(text) + `}`)); err != nil {
			t.Fatal(err)
		}
		for _, e := range schemas.Check(o).Errors {
			isWord := strings.HasSuffix(e.Field, "].type") || strings.HasSuffix(e.Field, "].reason") // constants of api/v1
			if !isWord && (e.Type == field.ErrorTypeTooLong || e.Type == field.ErrorTypeTooMany) {
				t.Errorf("%s: %v", kind, e)
			}
		}
		if kept := strings.Count(string(text), "…"); kept != filled || filled < 3 {
			t.Errorf("%s: %d texts of %d are clipped", kind, kept, filled)
		}
	}
}

// fillTexts sets every text of a value, with one item in each list, and returns how many
// there are.
func fillTexts(v reflect.Value, text string) (n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return 1
	case reflect.Pointer:
		if v.Type().Elem().PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
			return 0 // a time
		}
		v.Set(reflect.New(v.Type().Elem()))
		return fillTexts(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fillTexts(v.Index(0), text)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type.Name() != "Time" {
				n += fillTexts(v.Field(i), text)
			}
		}
	}
	return n
}
