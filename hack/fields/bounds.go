package main

import (
	"fmt"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// describeType returns the type of a field in words.
func (f field) describeType() string {
	inner := f.schema
	words := ""
	for {
		switch {
		case inner.Items != nil:
			words, inner = words+"list of ", inner.Items.Schema
			continue
		case inner.AdditionalProperties != nil && inner.AdditionalProperties.Schema != nil:
			words, inner = words+"map of ", inner.AdditionalProperties.Schema
			continue
		case f.foreign != "":
			return words + "`" + f.foreign + "`"
		}
		return words + describeScalar(inner)
	}
}

func describeScalar(schema *apiextensions.JSONSchemaProps) string {
	switch {
	case schema.XIntOrString && schema.Pattern != "":
		return "quantity"
	case schema.XIntOrString:
		return "number or string"
	case schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields && schema.Type == "":
		return "any"
	case schema.Format == "date-time":
		return "time"
	}
	return schema.Type
}

// describeBounds returns the default and the limits of a field and of its items.
func (f field) describeBounds() string {
	var parts []string
	if f.schema.Default != nil {
		parts = append(parts, "default `"+string(f.schema.Default.Raw)+"`")
	}
	parts = append(parts, describeLimits(f.schema)...)
	if items := itemsOf(f.schema); items != nil && f.foreign == "" {
		if each := describeLimits(items); len(each) > 0 {
			parts = append(parts, "each "+strings.Join(each, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func describeLimits(s *apiextensions.JSONSchemaProps) (out []string) {
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, "`"+string(value.Raw)+"`")
		}
		out = append(out, "one of "+strings.Join(values, ", "))
	}
	for _, bound := range []struct {
		least, most *int64
		unit        string
	}{{s.MinLength, s.MaxLength, "characters"}, {s.MinItems, s.MaxItems, "items"}, {s.MinProperties, s.MaxProperties, "entries"}, {wholeNumber(s.Minimum), wholeNumber(s.Maximum), ""}} {
		if text := describeRange(bound.least, bound.most); text != "" {
			out = append(out, strings.TrimSpace(text+" "+bound.unit))
		}
	}
	if s.Pattern != "" && !s.XIntOrString { // That of a quantity is in every quantity.
		out = append(out, "`"+s.Pattern+"`")
	}
	return out
}

func wholeNumber(bound *float64) *int64 {
	if bound == nil {
		return nil
	}
	n := int64(*bound)
	return &n
}

func describeRange(least, most *int64) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf("%d to %d", *least, *most)
	case least != nil:
		return "at least " + strconv.FormatInt(*least, 10)
	case most != nil:
		return "at most " + strconv.FormatInt(*most, 10)
	}
	return ""
}
