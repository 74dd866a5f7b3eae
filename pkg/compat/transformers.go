package compat

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/schema"
)

// Transformers says what is wrong with those of one record beside those of the
// others: what cannot be right, and what still is to come. others are the hops of
// the other records of the handler.
func (f Family) Transformers(record *v1.GatiVersion, others []schema.Hop) (errs field.ErrorList, notes []string) {
	chain := f.chain()
	chain.Hops = slices.Clone(others)
	var places []int
	for i, t := range record.Spec.Transformers {
		if t.From != "" && t.To != "" {
			places = append(places, i)
			chain.Hops = append(chain.Hops, schema.Hop{From: string(t.From), To: string(t.To)})
		}
	}
	for i, place := range places {
		at := field.NewPath("spec", "transformers").Index(place)
		switch kind, text := chain.Fault(len(others) + i); kind {
		case schema.HopSound:
		case schema.HopUnknown, schema.HopOneWay:
			notes = append(notes, at.String()+": "+text)
		default:
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, text))
		}
	}
	return errs, notes
}

// HopsOf are the transformers of records between versions, in the order of the
// records' names. except names a record that is left out.
func HopsOf(records map[string]*v1.GatiVersion, except string) []schema.Hop {
	var out []schema.Hop
	for _, version := range sorted(records) {
		if records[version].Name == except {
			continue
		}
		for _, t := range records[version].Spec.Transformers {
			if t.From != "" && t.To != "" {
				out = append(out, schema.Hop{From: string(t.From), To: string(t.To)})
			}
		}
	}
	return out
}

// Pairs are the transformers that can serve, in the order of the versions that
// they lead from, and those versions.
func (f Family) Pairs(records map[string]*v1.GatiVersion) (versions []string, pairs []v1.Transformer) {
	chain := f.chain()
	for _, from := range chain.Order {
		used := false
		for _, version := range sorted(records) {
			for _, t := range records[version].Spec.Transformers {
				near := string(t.From) == from && chain.Follows(from, string(t.To))
				if near && !slices.ContainsFunc(pairs, func(o v1.Transformer) bool { return o.From == t.From && o.To == t.To }) {
					pairs, used = append(pairs, t), true
				}
			}
		}
		// A version is named where a pair leads from it or to it.
		if used || slices.ContainsFunc(pairs, func(o v1.Transformer) bool { return string(o.To) == from }) {
			versions = append(versions, from)
		}
	}
	return versions, pairs
}
