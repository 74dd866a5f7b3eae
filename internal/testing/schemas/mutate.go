package schemas

import "math/rand"

// Related makes a schema from another: comparisons fail most often on similar
// schemas.
func Related(r *rand.Rand, s any) any {
	f := &free{Rand: r}
	defs := any(nil)
	if doc, ok := s.(Doc); ok {
		defs = doc["$defs"]
	}
	out := f.mutateSchema(Copy(s))
	if doc, ok := out.(Doc); ok && defs != nil {
		doc["$defs"] = defs
	}
	return out
}

func (f *free) mutateSchema(s any) any {
	doc, ok := s.(Doc)
	if !ok || f.Intn(12) == 0 {
		return f.wrapSchema(s)
	}
	keys := []string{}
	for _, k := range sortedKeys(doc) {
		if k != "$defs" {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return f.makeSchema(1)
	}
	k := keys[f.Intn(len(keys))]
	switch v := doc[k].(type) {
	case Doc:
		f.changeIn(k, v, doc)
	case List:
		f.changeList(k, v, doc)
	case int:
		doc[k] = max(v+f.Intn(3)-1, 0)
		if k == "multipleOf" {
			doc[k] = v + 1
		}
	default:
		if f.Intn(2) == 0 {
			delete(doc, k)
		} else {
			freeKeywords[f.Intn(len(freeKeywords))].put(f, doc, 1)
		}
	}
	return doc
}

var schemaMaps = map[string]bool{"properties": true, "patternProperties": true, "dependentSchemas": true}

func (f *free) changeIn(k string, v, doc Doc) {
	names := sortedKeys(v)
	switch {
	case k == "const" || f.Intn(5) == 0:
		delete(doc, k)
	case schemaMaps[k] && len(names) > 0:
		name := names[f.Intn(len(names))]
		if f.Intn(3) == 0 {
			delete(v, name)
		} else {
			v[name] = f.mutateSchema(v[name])
		}
	case k == "dependentRequired":
		delete(doc, k)
	default:
		doc[k] = f.mutateSchema(v)
	}
}

func (f *free) changeList(k string, v List, doc Doc) {
	schemaList := k == "allOf" || k == "anyOf" || k == "oneOf" || k == "prefixItems"
	switch {
	case len(v) > 1 && f.Intn(2) == 0:
		i := f.Intn(len(v))
		doc[k] = append(append(List{}, v[:i]...), v[i+1:]...)
	case schemaList && f.Intn(2) == 0 && len(v) > 0:
		i := f.Intn(len(v))
		v[i] = f.mutateSchema(v[i])
	case schemaList:
		doc[k] = append(append(List{}, v...), f.makeSchema(1))
	case k == "enum":
		doc[k] = append(append(List{}, v...), f.makeValue(1))
	default:
		delete(doc, k)
	}
}

func (f *free) wrapSchema(s any) any {
	switch f.Intn(5) {
	case 0:
		return Doc{"anyOf": List{s, f.makeSchema(1)}}
	case 1:
		return Doc{"allOf": List{s, f.makeSchema(1)}}
	case 2:
		return Doc{"not": Doc{"not": s}}
	case 3:
		return Doc{"oneOf": List{f.makeSchema(1), s}}
	}
	return f.makeSchema(2)
}

// Copy copies a document.
func Copy(v any) any {
	switch x := v.(type) {
	case Doc:
		out := make(Doc, len(x))
		for k := range x {
			out[k] = Copy(x[k])
		}
		return out
	case List:
		out := make(List, len(x))
		for i := range x {
			out[i] = Copy(x[i])
		}
		return out
	}
	return v
}
