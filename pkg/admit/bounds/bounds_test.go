package bounds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	limits := Limits{Values: 20, Items: 5, Structs: 4}
	for name, tc := range map[string]struct {
		text   string
		values int
		want   string
	}{
		"a plain value":     {text: ` 1 `, values: 1},
		"an object":         {text: `{"a":{"b":[1,"x",{}]},"c":null}`, values: 7},
		"just the items":    {text: `[1,2,3,4,5]`, values: 6},
		"a long list":       {text: `{"spec":{"env":[1,2,3,4,5,6]}}`, want: "spec.env: has more than 5 items, which is the most that is read"},
		"a list of objects": {text: `{"spec":{"env":[1,2,{},{},{}]}}`, want: "spec.env: has more than 4 items, which is the most that is read"},
		"what is noted of a field": {text: `{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{"f:env":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}}}}]}}`,
			want: "spec.env: has more than 5 items, which is the most that is read"},
		"a large object":      {text: `{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0}`, want: "has more than 5 items, which is the most that is read"},
		"many lists":          {text: `[[1,2,3,4],[1,2,3,4],[1,2,3,4],[1,2,3,4]]`, want: "[3][3]: the text has more than 20 values up to here, which is the most that is read"},
		"a key with a quote":  {text: `{"a\"b":[1,2,3,4,5,6]}`, want: `["a\\\"b"]: has more than 5 items, which is the most that is read`},
		"brackets in a text":  {text: `["{[{[{[", "\\", "\""]`, values: 4},
		"nested deep":         {text: strings.Repeat("[", 600), want: strings.Repeat("[0]", 20) + ": the text has"},
		"no JSON":             {text: `{"a":}`, want: `a: is no JSON: '}' at byte 5, where a value should be`},
		"a word":              {text: `{"a":yes}`, want: `a: is no JSON: 'y' at byte 5, where a value should be`},
		"cut off":             {text: `{"a":[1`, want: `a[0]: is no JSON: it ends where ',' or ']' should be`},
		"a string cut off":    {text: `{"a":"x\"`, want: `a: is no JSON: it ends where the end of a string should be`},
		"brackets that cross": {text: `{"a":[1}]`, want: `a[0]: is no JSON: '}' at byte 7, where ',' or ']' should be`},
		"two texts":           {text: `{} {}`, want: `is no JSON: '{' at byte 3, where the end should be`},
		"nothing":             {text: ``, want: "is no JSON: it ends where a value should be"},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := limits.Check([]byte(tc.text))
			values := n.Values
			if err != nil && (tc.want == "" || !strings.HasPrefix(err.Error(), tc.want)) || err == nil && (tc.want != "" || values != tc.values) {
				t.Errorf("%d values and %v, want %d and %q", values, err, tc.values, tc.want)
			}
		})
	}
}

func TestDepthIsBounded(t *testing.T) {
	_, err := Limits{Values: 1e6, Items: 1e6, Structs: 1e6}.Check([]byte(strings.Repeat("[", 1e6)))
	if err == nil || !strings.HasSuffix(err.Error(), "is nested more than 10000 deep") {
		t.Errorf("got %v", err)
	}
}

func TestCut(t *testing.T) {
	isStatus := func(p *Place) bool { return p.IsAt("request", "object", "status") }
	for text, want := range map[string]string{
		`{"request":{"object":{"spec":1,"status":{"a":[{"b":"]"}]}, "x":2}}}`: `{"request":{"object":{"spec":1,"status":null, "x":2}}}`,
		`{"request":{"object":{"status":{}}}}`:                                `{"request":{"object":{"status":{}}}}`,
		`{"request":{"oldObject":{"status":{"a":1}}}}`:                        `{"request":{"oldObject":{"status":{"a":1}}}}`,
		`{"request":{"object":{"status":"text","status":[1,2,3]}},"z":"y"}`:   `{"request":{"object":{"status":null,"status":null}},"z":"y"}`,
	} {
		got, err := Cut([]byte(text), isStatus)
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s and %v, want %s", text, got, err, want)
		}
	}
	if _, err := Cut([]byte(`{"request":{"object":{"status":{"a":`), isStatus); err == nil {
		t.Error("a text that ends within what is cut passes")
	}
}

// TestAScanAllocatesLittle holds that a hostile text costs no memory before it is refused.
func TestAScanAllocatesLittle(t *testing.T) {
	text := []byte(`{"spec":{"list":[{}` + strings.Repeat(`,{}`, 1e6) + `]}}`)
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if n, err := (Limits{Values: 1e7, Items: 1e7, Structs: 1e7}).Check(text); err != nil || n != (Count{Values: 1e6 + 4, Structs: 1e6 + 1}) {
				b.Fatal(n, err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 1<<10 {
		t.Errorf("%d bytes are allocated", allocated)
	}
}

// FuzzScan compares a scan with the decoder: what the decoder reads has as many values, at
// places with the same paths; and what was cut is null, with everything else as it was.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u00e9\\"},[]],"c":{"a":null}}`))
	f.Add([]byte(`[[[]],{"":{}},"",-1e9]`))
	f.Add([]byte(` { "a" : { "a" : [ true ] } } `))
	f.Fuzz(func(t *testing.T, text []byte) {
		var decoded any
		isJSON := json.Unmarshal(text, &decoded) == nil
		n, err := Limits{Values: 1e9, Items: 1e9, Structs: 1e9}.Check(text)
		if !isJSON {
			return // The decoder refuses it.
		}
		if want := countTokens(t, text); err == nil && n.Values != want || err != nil && !strings.Contains(err.Error(), "nested") {
			t.Fatalf("%d values and %v, want %d", n.Values, err, want)
		}
		cut, err := Cut(bytes.Clone(text), func(p *Place) bool { return p.Depth() > 0 && string(p.Key(0)) == "a" })
		if err != nil {
			return
		}
		var after any
		if err := json.Unmarshal(cut, &after); err != nil {
			t.Fatalf("%q is no JSON any more: %q: %v", text, cut, err)
		}
		checkRest(t, decoded, after)
	})
}

// checkRest compares what was not cut.
func checkRest(t *testing.T, before, after any) {
	t.Helper()
	if fields, ok := before.(map[string]any); ok {
		delete(fields, "a")
		if left, ok := after.(map[string]any); ok {
			delete(left, "a")
		}
	}
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Fatalf("%v became %v", before, after)
	}
}

// countTokens counts values as encoding/json sees them.
func countTokens(t *testing.T, text []byte) (values int) {
	t.Helper()
	type open struct{ isObject, atValue bool }
	var stack []open
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.Token()
		if err != nil {
			return values
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack); n > 0 && stack[n-1].isObject {
			stack[n-1].atValue = !stack[n-1].atValue
			if stack[n-1].atValue {
				continue // a key
			}
		}
		values++
		switch token {
		case json.Delim('{'):
			stack = append(stack, open{isObject: true})
		case json.Delim('['):
			stack = append(stack, open{})
		}
	}
}
