package compat_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/schema"
)

// A version that breaks callers is held until transformers cover the step.
func ExampleJudge_Verdict() {
	input := func(text string) *v1.VersionSchema {
		return &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(text)}}
	}
	family := compat.Family{
		Handler: "users",
		Policy:  compat.Policy{Mode: schema.Backward, Strategy: v1.StrategyCanary, Gateway: true},
		Stable:  "v1",
		Versions: []compat.Version{
			{Name: "v1", Schema: input(`{"type":"object"}`), Live: true, Serves: true},
			{Name: "v2", Schema: input(`{"type":"object","required":["id"]}`)},
		},
	}
	var judge compat.Judge
	verdict, _ := judge.Verdict(family, "v2")
	fmt.Println(verdict.Breaking, verdict.Breaks[0].Of, verdict.Held() != "")

	family.Hops = []schema.Hop{{From: "v1", To: "v2"}, {From: "v2", To: "v1"}}
	verdict, _ = judge.Verdict(family, "v2")
	fmt.Println(verdict.Breaking, verdict.Held() != "")
	// Output:
	// true v1 true
	// true false
}
