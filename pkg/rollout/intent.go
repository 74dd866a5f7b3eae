package rollout

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"gati.dev/gati/pkg/defaulting"
)

// hashed names a field of spec.rollout that decides its intent, and those within it.
type hashed struct {
	name   string
	within []hashed
	// unless is the default of a later field, which is not hashed.
	unless string
}

// intentFields are the hashed fields of spec.rollout. Clusters store the hash: no entry
// and no order ever changes. A later field is appended, and hashed only where it differs
// from its default, or an upgrade would try every rejected version again.
var intentFields = []hashed{
	{name: "strategy"},
	{name: "steps", within: []hashed{{name: "weight"}, {name: "pause"}}},
	{name: "analysis", within: []hashed{
		{name: "interval"}, {name: "window"}, {name: "mode"}, {name: "failureLimit"}, {name: "minSamples"}, {name: "noData"},
		{name: "metrics", within: []hashed{
			{name: "successRate", within: []hashed{{name: "min"}, baselineFields}},
			{name: "latency", within: []hashed{{name: "quantile"}, {name: "max"}, baselineFields}},
			{name: "query", within: []hashed{{name: "name"}, {name: "promQL"}, {name: "min"}, {name: "max"}}},
		}},
		{name: "confidence", unless: `"99"`}, {name: "detect", unless: `5`}, {name: "inconclusive", unless: `"pass"`}, {name: "dryRun", unless: `false`},
	}},
	{name: "progressDeadline"},
	{name: "rollbackWindow"},
	{name: "autoRollback"},
	{name: "checks", within: []hashed{{name: "name"}, {name: "when"}, {name: "step"}, {name: "job"}, {name: "timeout"}, {name: "inconclusive"}}},
}

var baselineFields = hashed{name: "baseline", within: []hashed{{name: "within"}}}

// IntentFor identifies the wish of a resolved handler: its template and its rollout.
// Scaling it or applying it again does not change it.
func IntentFor(h defaulting.Handler, revision string) string {
	raw, err := json.Marshal(h.Spec.Rollout)
	if err != nil {
		// A struct of texts and numbers can always be encoded.
		panic(err)
	}
	var text bytes.Buffer
	writeHashed(&text, raw, intentFields)
	text.WriteString(revision)
	sum := sha256.Sum256(text.Bytes())
	return hex.EncodeToString(sum[:8])
}

// writeHashed writes the named fields of a JSON value in their order. A list is written
// item by item, and a value without named fields as it is.
func writeHashed(out *bytes.Buffer, raw json.RawMessage, fields []hashed) {
	var items []json.RawMessage
	var object map[string]json.RawMessage
	switch {
	case fields == nil, string(raw) == "null":
		out.Write(raw)
	case json.Unmarshal(raw, &items) == nil:
		writeList(out, items, fields)
	case json.Unmarshal(raw, &object) == nil:
		writeObject(out, object, fields)
	}
}

func writeList(out *bytes.Buffer, items []json.RawMessage, fields []hashed) {
	out.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			out.WriteByte(',')
		}
		writeHashed(out, item, fields)
	}
	out.WriteByte(']')
}

func writeObject(out *bytes.Buffer, object map[string]json.RawMessage, fields []hashed) {
	out.WriteByte('{')
	first := true
	for _, f := range fields {
		value, set := object[f.name]
		if !set || string(value) == f.unless {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteString(strconv.Quote(f.name) + ":")
		writeHashed(out, value, f.within)
	}
	out.WriteByte('}')
}
