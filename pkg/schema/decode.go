package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// decodeJSON reads one JSON document. Numbers stay as written: only those that are
// compared are parsed exactly.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, newProblem("", "is not JSON: "+err.Error())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, newProblem("", "holds more than one JSON document; give one schema")
	}
	return doc, nil
}

// exactValue converts a decoded document for the evaluator: nil, bool, string,
// *big.Rat, []any or map[string]any.
func exactValue(doc any) (any, error) {
	switch v := doc.(type) {
	case json.Number:
		return exactNumber(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			x, err := exactValue(v[i])
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			x, err := exactValue(v[name])
			if err != nil {
				return nil, err
			}
			out[name] = x
		}
		return out, nil
	}
	return doc, nil
}

// exactNumber parses a number exactly, within limits on its digits and exponent.
func exactNumber(text json.Number) (*big.Rat, error) {
	s := string(text)
	if len(s) > maxNumber {
		return nil, fmt.Errorf("is a number of %d characters; write at most %d", len(s), maxNumber)
	}
	if _, exponent, found := strings.Cut(strings.ToLower(s), "e"); found {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > maxExponent || e < -maxExponent {
			return nil, fmt.Errorf("is %s; the exponent of a number must be between -%d and %d, the range of JavaScript", s, maxExponent, maxExponent)
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("is %s, which is not a number", s)
	}
	return r, nil
}
