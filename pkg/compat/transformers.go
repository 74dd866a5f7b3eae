package compat

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/schema"
)

// Transformers checks the transformers of one record against the hops of the handler's
// other records. Errors can never become valid; notes describe versions that are still
// unknown.
func (f Family) Transformers(record *v1.GatiVersion, others []schema.Hop) (errs field.ErrorList, notes []string) {
	chain := f.hopChain(nil)
	chain.Hops = slices.Clone(others)
	// A record may come before its version is declared, which then is the last one.
	own := string(record.Spec.Version)
	isAhead := own != "" && !slices.Contains(chain.Order, own)
	if isAhead {
		chain.Order = append(chain.Order, own)
	}
	var places []int
	for i, t := range record.Spec.Transformers {
		if t.From != "" && t.To != "" {
			places = append(places, i)
			chain.Hops = append(chain.Hops, schema.Hop{From: string(t.From), To: string(t.To)})
		}
	}
	for i, place := range places {
		at := field.NewPath("spec", "transformers").Index(place)
		hop := chain.Hops[len(others)+i]
		switch kind, text := chain.Fault(len(others) + i); {
		case kind == schema.HopSound:
		case kind == schema.HopUnknown, kind == schema.HopSkips && isAhead && (hop.From == own || hop.To == own):
			notes = append(notes, at.String()+": "+text)
		default:
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, text))
		}
	}
	return errs, notes
}

// HopsOf returns the transformers between versions in records, in the order of the
// versions. The record named except is left out.
func HopsOf(records map[string]*v1.GatiVersion, except string) []schema.Hop {
	var out []schema.Hop
	for _, version := range sortedKeys(records) {
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

// Pairs returns the steps between adjacent versions that a pod can take, ordered by
// their From version, and the versions that they connect. A step that breaks no caller
// needs no functions. Without a recorded transformer there are none.
func (f Family) Pairs(runs Run, records map[string]*v1.GatiVersion) (versions []string, pairs []v1.Transformer) {
	pairs = f.recordedPairs(runs, records)
	if len(pairs) == 0 {
		return nil, nil
	}
	for _, h := range f.identityHops(runs) {
		pairs = appendPair(pairs, v1.Transformer{From: v1.VersionID(h.From), To: v1.VersionID(h.To)})
	}
	place := func(t v1.Transformer) int { _, at := f.findVersion(string(t.From)); return at }
	slices.SortStableFunc(pairs, func(a, b v1.Transformer) int { return cmp.Compare(place(a), place(b)) })
	for _, v := range f.Versions {
		// Only versions at an end of a pair are listed.
		if slices.ContainsFunc(pairs, func(t v1.Transformer) bool { return string(t.From) == v.Name || string(t.To) == v.Name }) {
			versions = append(versions, v.Name)
		}
	}
	return versions, pairs
}

// recordedPairs returns the recorded transformers between adjacent versions.
func (f Family) recordedPairs(runs Run, records map[string]*v1.GatiVersion) (pairs []v1.Transformer) {
	chain := f.hopChain(runs)
	for _, version := range sortedKeys(records) {
		for _, t := range records[version].Spec.Transformers {
			if t.From != "" && chain.Follows(string(t.From), string(t.To)) {
				pairs = appendPair(pairs, t)
			}
		}
	}
	return pairs
}

// appendPair appends a pair unless those versions already have one.
func appendPair(pairs []v1.Transformer, t v1.Transformer) []v1.Transformer {
	if slices.ContainsFunc(pairs, func(o v1.Transformer) bool { return o.From == t.From && o.To == t.To }) {
		return pairs
	}
	return append(pairs, t)
}
