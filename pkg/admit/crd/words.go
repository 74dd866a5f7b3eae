package crd

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// inWords converts the validator's errors to field errors like the API server. The API
// server's own function is in a package that links the whole server.
func inWords(r *validate.Result) field.ErrorList {
	var out field.ErrorList
	for _, err := range r.Errors {
		found, ok := err.(*openapierrors.Validation) //nolint:errorlint // the validator wraps none
		if !ok {
			out = append(out, field.Invalid(nil, "", err.Error()))
			continue
		}
		out = append(out, worded(found))
	}
	return out
}

func worded(e *openapierrors.Validation) *field.Error {
	path := pathOf(e.Name)
	switch e.Code() {
	case openapierrors.RequiredFailCode:
		return field.Required(path, "")
	case openapierrors.EnumFailCode:
		return field.NotSupported(path, e.Value, texts(e.Values))
	case openapierrors.TooLongFailCode:
		return field.TooLong(path, "", int(number(e.Valid)))
	case openapierrors.MaxItemsFailCode, openapierrors.TooManyPropertiesCode:
		return field.TooMany(path, int(number(e.Value)), int(number(e.Valid)))
	case openapierrors.InvalidTypeCode:
		return field.TypeInvalid(path, orEmpty(e.Value), e.Error())
	default:
		return field.Invalid(path, orEmpty(e.Value), e.Error())
	}
}

// pathOf is a path that is already put together.
func pathOf(path string) *field.Path {
	if path = strings.TrimPrefix(path, "."); path == "" {
		return nil
	}
	return field.NewPath(path)
}

func number(v any) int64 {
	if n, ok := v.(int64); ok {
		return n
	}
	return -1
}

func orEmpty(v any) any {
	if v == nil {
		return ""
	}
	return v
}

func texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			out[i] = s
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil {
			continue // it was read from JSON
		}
		out[i] = string(raw)
	}
	return out
}
