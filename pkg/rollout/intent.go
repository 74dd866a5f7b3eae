package rollout

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
)

// hashed names a field of spec.rollout that decides its intent, and those within it.
type hashed struct {
	name   string
	within []hashed
	// unless is the default of a later field, which is not hashed.
	unless string
	// isLength: the field is a length of time, hashed in one unit whatever the spec has.
	isLength bool
}

// intentFields are the hashed fields of spec.rollout. Clusters store the hash: no entry
// and no order ever changes. A later field is appended, and hashed only where it differs
// from its default, or an upgrade would try every rejected version again.
var intentFields = []hashed{
	{name: "strategy"},
	{name: "steps", within: []hashed{{name: "weight"}, {name: "pause", isLength: true}}},
	{name: "analysis", within: []hashed{
		{name: "interval", isLength: true}, {name: "window", isLength: true}, {name: "mode"}, {name: "failureLimit"}, {name: "minSamples"}, {name: "noData"},
		{name: "metrics", within: []hashed{
			{name: "successRate", within: []hashed{{name: "min"}, baselineFields}},
			{name: "latency", within: []hashed{{name: "quantile"}, {name: "max", isLength: true}, baselineFields}},
			{name: "query", within: []hashed{{name: "name"}, {name: "promQL"}, {name: "min"}, {name: "max"}}},
		}},
		{name: "confidence", unless: `"99"`}, {name: "detect", unless: `5`}, {name: "inconclusive", unless: `"pass"`}, {name: "dryRun", unless: `false`}, {name: "enabled", unless: `true`},
	}},
	{name: "progressDeadline", isLength: true},
	{name: "rollbackWindow", isLength: true},
	{name: "autoRollback"},
	{name: "checks", within: []hashed{{name: "name"}, {name: "when"}, {name: "step"}, {name: "job"}, {name: "timeout", isLength: true}, {name: "inconclusive"}}},
	{name: "autoSteps", within: []hashed{{name: "harm"}}},
}

var baselineFields = hashed{name: "baseline", within: []hashed{{name: "within"}}}

// IntentFor identifies the wish of a resolved handler: its template and its rollout.
// Scaling it, applying it again, or other units of time do not change it. earlier is the
// form of statuses that hashed lengths of time as they were written.
func IntentFor(h defaulting.Handler, revision string) (intent, earlier string) {
	raw, err := json.Marshal(h.Spec.Rollout)
	if err != nil {
		// A struct of texts and numbers can always be encoded.
		panic(err)
	}
	return hashIntent(&intentWriter{}, raw, revision), hashIntent(&intentWriter{asWritten: true}, raw, revision)
}

func hashIntent(out *intentWriter, raw json.RawMessage, revision string) string {
	out.writeHashed(raw, intentFields)
	out.WriteString(revision)
	sum := sha256.Sum256(out.Bytes())
	return hex.EncodeToString(sum[:8])
}

// intentWriter collects the text that is hashed.
type intentWriter struct {
	bytes.Buffer
	asWritten bool
}

// writeHashed writes the named fields of a JSON value in their order. A list is written
// item by item, and a value without named fields as it is.
func (out *intentWriter) writeHashed(raw json.RawMessage, fields []hashed) {
	var items []json.RawMessage
	var object map[string]json.RawMessage
	switch {
	case fields == nil, string(raw) == "null":
		out.Write(raw)
	case json.Unmarshal(raw, &items) == nil:
		out.writeList(items, fields)
	case json.Unmarshal(raw, &object) == nil:
		out.writeObject(object, fields)
	}
}

func (out *intentWriter) writeList(items []json.RawMessage, fields []hashed) {
	out.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			out.WriteByte(',')
		}
		out.writeHashed(item, fields)
	}
	out.WriteByte(']')
}

func (out *intentWriter) writeObject(object map[string]json.RawMessage, fields []hashed) {
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
		if f.isLength && !out.asWritten {
			value = inOneUnit(value)
		}
		out.writeHashed(value, f.within)
	}
	out.WriteByte('}')
}

// inOneUnit returns a length of time in milliseconds; what is none stays.
func inOneUnit(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	length := v1.Duration(text).Or(0)
	if length == 0 {
		length = v1.ShortDuration(text).Length()
	}
	if length == 0 {
		return raw
	}
	return strconv.AppendInt(nil, length.Milliseconds(), 10)
}
