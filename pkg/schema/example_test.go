package schema_test

import (
	"fmt"

	"gati.dev/gati/pkg/schema"
)

// A no comes with a document that the first schema accepts and the second refuses.
func ExampleSubset() {
	old, _ := schema.Parse([]byte(`{"type":"integer","minimum":0}`))
	new, _ := schema.Parse([]byte(`{"type":"integer","minimum":1}`))
	answer, example := schema.Subset(old, new)
	fmt.Printf("%v %s\n", answer == schema.No, example)
	answer, _ = schema.Subset(new, old)
	fmt.Println(answer == schema.Yes)
	// Output:
	// true 0
	// true
}

// A new required property of requests breaks the callers of the old version.
func ExampleCompatibility() {
	old, _ := schema.Parse([]byte(`{"type":"object","properties":{"name":{"type":"string"}}}`))
	new, _ := schema.Parse([]byte(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`))
	report := schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward)
	fmt.Println(report.Breaking, report.Findings[0].Rule, report.Findings[0].Path)
	// Output: true request-property-became-required /name
}

// A document of an older draft is upgraded, and tells how it was read.
func ExampleParse() {
	s, err := schema.Parse([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range s.Upgrades() {
		fmt.Println(n)
	}
	// Output:
	// /$schema is read as draft-07
	// /items is a list, and read as prefixItems
	// /additionalItems is read as items
}
