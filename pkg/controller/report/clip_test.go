package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
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
		report.CleanTexts(status)
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

// hostile is a text that a terminal obeys: by C0, C1 and DEL, and by format characters that
// turn, hide and break the text around them.
const hostile = "a\x1b]52;c;QUFB\a\u009b2J\x7f\r\u202e\u2066\u200b\u2028\u2029\ufeff\U000e0041b"

// TestStatusesAreObeyedByNoTerminal fills each text of a status with characters that a terminal
// obeys: kubectl prints most of them as they are.
func TestStatusesAreObeyedByNoTerminal(t *testing.T) {
	for kind, status := range map[string]any{"GatiHandler": &v1.GatiHandlerStatus{}, "GatiModule": &v1.GatiModuleStatus{}, "GatiVersion": &v1.GatiVersionStatus{}} {
		filled := fillTexts(reflect.ValueOf(status).Elem(), hostile)
		report.CleanTexts(status)
		text, err := yaml.Marshal(status)
		if err != nil {
			t.Fatal(err)
		}
		if escaped := strings.Count(string(text), `\u202e`); escaped != filled {
			t.Errorf("%s: %d texts of %d are escaped", kind, escaped, filled)
		}
		if cleaned := printable.Copy(status); !reflect.DeepEqual(cleaned, status) {
			t.Errorf("%s: not every text is escaped: %+v", kind, status)
		}
	}
}

// TestNotesAreObeyedByNoTerminal tells of every kind of Event with such texts.
func TestNotesAreObeyedByNoTerminal(t *testing.T) {
	fake := events.NewFakeRecorder(20)
	r := report.Recorder{EventRecorder: fake}
	h := &v1.GatiHandler{}
	long := hostile + strings.Repeat("ä", 2000)
	report.Writes(r, h, []string{hostile, long})
	report.Notices(r, h, []target.Notice{{Reason: "X", Message: hostile}, {Reason: "X", Message: long, Warning: true}})
	report.Decided(r, h, []rollout.Event{{Reason: "X", Message: hostile}})
	for _, kind := range []string{v1.ConditionStalled, v1.ConditionReady} {
		report.Turned(r, h, nil, []metav1.Condition{{Type: kind, Status: metav1.ConditionTrue, Reason: "X", Message: hostile}})
	}
	close(fake.Events)
	n := 0
	for e := range fake.Events {
		if n++; printable.Text(e) != e || !strings.Contains(e, `\u202e`) || len(e) > 1024+len("Normal Applied ") {
			t.Errorf("%d bytes: %q", len(e), e)
		}
	}
	if n != 6 {
		t.Errorf("%d Events, want 6", n)
	}
}
