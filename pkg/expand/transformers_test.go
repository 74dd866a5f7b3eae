package expand_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
)

func TestAddTransformers(t *testing.T) {
	h := builders.MakeHandler("users").UID("u").Obj()
	var none expand.Plan
	if err := none.AddTransformers(h, expand.Transformers{Versions: []string{"v1"}}); err != nil || len(none.Objects) > 0 {
		t.Errorf("without a pair: %v %v", none.Objects, err)
	}
	var p expand.Plan
	told := expand.Transformers{Versions: []string{"v1", "v2"}, Pairs: []v1.Transformer{{From: "v1", To: "v2", Request: "up", Response: "down"}}}
	err := p.AddTransformers(h, told)
	if err != nil || len(p.Objects) != 1 {
		t.Fatal(p.Objects, err)
	}
	cm := p.Objects[0].(*corev1.ConfigMap)
	want := `{
  "versions": [
    "v1",
    "v2"
  ],
  "pairs": [
    {
      "from": "v1",
      "to": "v2",
      "request": "up",
      "response": "down"
    }
  ]
}
`
	if got := cm.Data[expand.TransformersKey]; got != want || cm.Name != "handler-users-transformers" || cm.Immutable != nil || len(cm.OwnerReferences) != 1 {
		t.Errorf("%s %+v\n%s", cm.Name, cm.ObjectMeta, got)
	}
	// What runtime/src/transformers/pairs.js makes of the text.
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(want)))[:16]; got != told.Hash() {
		t.Errorf("the hash is %s, pods report %s", told.Hash(), got)
	}
}
