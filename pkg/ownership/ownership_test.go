package ownership_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/ownership"
)

func TestFindOther(t *testing.T) {
	entry := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	tests := map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    string
	}{
		"no entries":                  {nil, ""},
		"ours":                        {[]metav1.ManagedFieldsEntry{entry("us", `{"f:spec":{"f:tags":{}}}`)}, ""},
		"ours, and another manager":   {[]metav1.ManagedFieldsEntry{entry("us", `{"f:spec":{"f:tags":{}}}`), entry("argocd", `{"f:spec":{"f:tags":{}}}`)}, "argocd"},
		"the first of two":            {[]metav1.ManagedFieldsEntry{entry("a", `{"f:spec":{"f:tags":{}}}`), entry("b", `{"f:spec":{"f:tags":{}}}`)}, "a"},
		"an item of the field":        {[]metav1.ManagedFieldsEntry{entry("argocd", `{"f:spec":{"f:tags":{"v:\"stable\"":{}}}}`)}, "argocd"},
		"another field":               {[]metav1.ManagedFieldsEntry{entry("argocd", `{"f:spec":{"f:keep":{}}}`)}, ""},
		"a field of that name below":  {[]metav1.ManagedFieldsEntry{entry("argocd", `{"f:spec":{"f:schema":{"f:tags":{}}}}`)}, ""},
		"a field of that name beside": {[]metav1.ManagedFieldsEntry{entry("argocd", `{"f:status":{"f:tags":{}}}`)}, ""},
		"no fields":                   {[]metav1.ManagedFieldsEntry{{Manager: "argocd"}}, ""},
		"not readable":                {[]metav1.ManagedFieldsEntry{entry("argocd", `{"f:spec":`)}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ownership.FindOther(tc.entries, "tags", "us"); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
