package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gati.dev/gati/pkg/rollout"
)

// Key is the key of a record in the binaryData of its ConfigMap: JSON lines, each of them an
// Entry, compressed by gzip.
const Key = "decisions.jsonl.gz"

// Entry is one decision, with all that it depends on.
type Entry struct {
	// Number counts the decisions of a rollout from 1. Entries in between that are missing
	// were dropped.
	Number int `json:"number"`
	// Release is that of the gati-webhook that decided.
	Release  string           `json:"release"`
	Input    rollout.Input    `json:"input"`
	Decision rollout.Decision `json:"decision"`
}

// Machine decides, as rollout.Next does.
type Machine func(rollout.Input) rollout.Decision

// Difference is a value that a decision has otherwise when it is made again. A missing value is
// empty.
type Difference struct {
	Field    string `json:"field"`
	Recorded string `json:"recorded,omitempty"`
	Now      string `json:"now,omitempty"`
}

// Replay decides again, and returns the differences. A state that no machine has come to may be
// none that one can go on from.
func (e *Entry) Replay(next Machine) (out []Difference, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("decision %d cannot be made again: %v", e.Number, fault)
		}
	}()
	recorded, err := flattenDecision(e.Decision)
	if err != nil {
		return nil, err
	}
	now, err := flattenDecision(next(e.Input))
	if err != nil {
		return nil, err
	}
	all := maps.Clone(recorded)
	maps.Copy(all, now)
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if recorded[field] != now[field] {
			out = append(out, Difference{Field: field, Recorded: recorded[field], Now: now[field]})
		}
	}
	return out, nil
}

// flattenDecision returns the values of a decision by their paths, as they are recorded.
func flattenDecision(d rollout.Decision) (map[string]string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	content := json.NewDecoder(bytes.NewReader(text))
	content.UseNumber()
	var value any
	if err := content.Decode(&value); err != nil {
		return nil, err
	}
	out := map[string]string{}
	flattenValue(out, "", value)
	return out, nil
}

func flattenValue(into map[string]string, path string, value any) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for key, part := range v {
			flattenValue(into, strings.TrimPrefix(path+"."+key, "."), part)
		}
	case []any:
		for i, part := range v {
			flattenValue(into, fmt.Sprintf("%s[%d]", path, i), part)
		}
	default:
		into[path] = fmt.Sprint(v)
	}
}

// maxRead bounds what a record may have when it is read: it may come from anywhere.
const maxRead = 256 << 20

// Read returns the entries of a record.
func Read(record []byte) ([]Entry, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(record))
	if err != nil {
		return nil, fmt.Errorf("the record of the rollout cannot be read: %w", err)
	}
	var out []Entry
	for lines := json.NewDecoder(io.LimitReader(unpacked, maxRead)); ; {
		var e Entry
		err := lines.Decode(&e)
		switch {
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("the record of the rollout cannot be read: decision %d: %w", len(out)+1, err)
		}
		out = append(out, e)
	}
}
