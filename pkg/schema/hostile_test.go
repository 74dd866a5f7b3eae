package schema

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// hostile are documents within the limits that are as hard to compare as can be.
func hostile() map[string]string {
	branches := func(keyword string, n int, format string) string {
		return fmt.Sprintf(`{"%s":[%s]}`, keyword, listed(n, format))
	}
	doubling := func(n int) string {
		var defs []string
		for i := range n {
			defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{"type":"string"}}}`, strings.Join(defs, ","), n)
	}
	doublingInPlace := func(n int) string {
		var defs []string
		for i := range n {
			defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
		}
		return fmt.Sprintf(`{"anyOf":[{"$ref":"#/$defs/d0"},{"type":"null"}],"unevaluatedProperties":false,"$defs":{%s,"d%d":{"properties":{"a":{}}}}}`, strings.Join(defs, ","), n)
	}
	mesh := func(n int) string {
		var defs []string
		for i := range n {
			defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{%s}}`, i, listed(n, `"p%d":{"$ref":"#/$defs/d%[1]d"}`)))
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s}}`, strings.Join(defs, ","))
	}
	return map[string]string{
		"1,000 properties":                `{"type":"object","properties":{` + listed(1000, `"p%d":{"type":"string","maxLength":9}`) + `},"required":[` + listed(1000, `"p%d"`) + `]}`,
		"1,000 properties, closed":        `{"type":"object","additionalProperties":false,"properties":{` + listed(1000, `"p%d":{"type":"integer"}`) + `}}`,
		"2,000 branches of anyOf":         branches("anyOf", 2000, `{"minimum":%d}`),
		"2,000 branches of oneOf":         branches("oneOf", 2000, `{"minimum":%d}`),
		"500 objects in oneOf":            branches("oneOf", 500, `{"type":"object","required":["a%d"]}`),
		"2,000 branches of allOf":         branches("allOf", 2000, `{"maximum":%d}`),
		"30 choices of two":               branches("allOf", 30, `{"anyOf":[{"required":["a%d"]},{"required":["b%[1]d"]}]}`),
		"30 conditions":                   branches("allOf", 30, `{"if":{"required":["a%d"]},"then":{"required":["b%[1]d"]},"else":{"minProperties":2}}`),
		"references that double":          doubling(60),
		"references all to all":           mesh(20),
		"references that double in place": doublingInPlace(30),
		"300 tagged objects":              branches("oneOf", 300, `{"type":"object","properties":{"kind":{"const":"k%d"},"v%[1]d":{"type":"string"}},"required":["kind"]}`),
		"12 patterns":                     `{"type":"object","patternProperties":{` + listed(12, `"^x%d":{"minimum":%[1]d}`) + `},"unevaluatedProperties":false}`,
		"an enum of 10,000":               `{"enum":[` + listed(10000, `%d`) + `]}`,
		"40 dependents":                   `{"dependentSchemas":{` + listed(40, `"a%d":{"required":["b%[1]d"]}`) + `},"unevaluatedProperties":false}`,
		"uneven multiples":                branches("allOf", 300, `{"multipleOf":1.%d}`),
		"a long list":                     `{"type":"array","minItems":4000,"uniqueItems":true,"items":{"type":"integer","multipleOf":3}}`,
		"patterns that backtrack":         branches("allOf", 200, `{"pattern":"^(a+)+%d$"}`),
		"not in not":                      strings.Repeat(`{"not":`, 30) + `{"type":"string"}` + strings.Repeat(`}`, 30),
		"contains many, in many ways":     branches("allOf", 50, `{"contains":{"const":%d},"minContains":2,"maxContains":3}`),
		"unevaluated in every branch":     branches("allOf", 60, `{"anyOf":[{"properties":{"a%d":true},"unevaluatedProperties":false},{"minProperties":%[1]d}]}`),
		"a condition in each property":    `{"type":"object","properties":{` + listed(300, `"p%d":{"if":{"type":"string"},"then":{"minLength":%[1]d},"else":{"minimum":%[1]d}}`) + `}}`,
	}
}

// TestHostile compares each hostile document with itself changed a little, and
// with each other. That it ends is that the work is counted: the time depends on
// the machine, the number of steps does not.
func TestHostile(t *testing.T) {
	docs := hostile()
	for _, x := range sortedKeys(docs) {
		a := must(t, docs[x])
		if got, _ := Subset(a, a); got != Yes {
			t.Errorf("%s: is %v for itself", x, got)
		}
		for _, y := range partners(docs, x) {
			b := must(t, docs[y])
			c := newComparer(context.Background(), a, b, false)
			gaps := c.compareNode([]literal{accepts(a.root)}, b.root)
			if c.remaining < -maxSteps/4 {
				t.Errorf("%s, %s: %d steps, of %d, %d gaps", x, y, maxSteps-c.remaining, maxSteps, len(gaps))
			}
		}
	}
}

// partners are a few documents to compare one with.
func partners(docs map[string]string, x string) []string {
	names := sortedKeys(docs)
	i := slices.Index(names, x)
	return []string{names[(i+1)%len(names)], names[(i+7)%len(names)], "1,000 properties", "2,000 branches of allOf"}
}

// TestDeterministic holds that the same question gets the same answer and the
// same findings, word for word.
func TestDeterministic(t *testing.T) {
	docs := hostile()
	names := sortedKeys(docs)
	for i := 0; i < len(names); i += 3 {
		x, y := names[i], names[(i+1)%len(names)]
		first := ""
		for round := range 2 {
			old, new := must(t, docs[x]), must(t, docs[y])
			r := Compatibility(Version{Input: old}, Version{Input: new}, Full)
			if text := fmt.Sprint(r.Findings); round == 0 {
				first = text
			} else if text != first {
				t.Errorf("%s, %s: told differently", x, y)
			}
		}
	}
}
