package version

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/schema"
)

// knownVersions are the versions of manifests, in their order.
type knownVersions struct {
	order   []string
	schemas map[string]*v1.VersionSchema
	pairs   []v1.Transformer
}

func (t *trial) readVersions() (knownVersions, error) {
	k := knownVersions{schemas: map[string]*v1.VersionSchema{}, pairs: []v1.Transformer{}}
	for _, name := range t.files {
		documents, err := t.decodeManifest(name)
		if err != nil {
			return k, err
		}
		for _, doc := range documents {
			switch o := doc.Object.(type) {
			case *v1.GatiHandler:
				k.addVersion(string(o.Spec.Version), o.Spec.Schema)
			case *v1.GatiVersion:
				k.addVersion(string(o.Spec.Version), o.Spec.Schema)
				k.pairs = append(k.pairs, pairsOf(o)...)
			}
		}
	}
	for _, name := range []string{t.from, t.to} {
		if !slices.Contains(k.order, name) {
			return k, fmt.Errorf("the manifests have no version %q; their versions are %v", name, k.order)
		}
	}
	return k, nil
}

func (k *knownVersions) addVersion(version string, s *v1.VersionSchema) {
	if version == "" {
		return
	}
	if !slices.Contains(k.order, version) {
		k.order = append(k.order, version)
	}
	if s != nil {
		k.schemas[version] = s
	}
}

// pairsOf returns the transformers of a record that name functions.
func pairsOf(record *v1.GatiVersion) []v1.Transformer {
	return slices.DeleteFunc(slices.Clone(record.Spec.Transformers), func(t v1.Transformer) bool { return t.From == "" || t.To == "" })
}

// checks hold samples and results against the schemas of both versions.
type checks struct {
	from, to string
	old, new schema.Version
}

func newChecks(k knownVersions, from, to string) (c checks, err error) {
	c = checks{from: from, to: to}
	if c.old, err = compat.Read(k.schemas[from]); err != nil {
		return c, fmt.Errorf("%s: %w", from, err)
	}
	if c.new, err = compat.Read(k.schemas[to]); err != nil {
		return c, fmt.Errorf("%s: %w", to, err)
	}
	return c, nil
}

// judgeSample returns the problems of a sample and its result.
func (c checks) judgeSample(s trialSample, r trialResult) []string {
	sampleOf, resultOf := side{c.from, c.old.Input}, side{c.to, c.new.Input}
	if s.Direction == "response" {
		if s.Status >= 400 {
			return r.faultLines() // errors have no schema
		}
		sampleOf, resultOf = side{c.to, c.new.Output}, side{c.from, c.old.Output}
	}
	if faults := sampleOf.judgeBody("the sample", s.Direction, s.Body); len(faults) > 0 {
		return faults
	}
	if r.Error != "" {
		return r.faultLines()
	}
	return resultOf.judgeBody("the result", s.Direction, r.Body)
}

func (r trialResult) faultLines() []string {
	if r.Error == "" {
		return nil
	}
	return []string{r.Error}
}

// side is the schema of one direction of a version.
type side struct {
	version string
	schema  *schema.Schema
}

// judgeBody returns where a body differs from its schema. A body is compared as the schema
// that it alone fits, so that findings name places and rules.
func (s side) judgeBody(what, direction string, body json.RawMessage) []string {
	if s.schema == nil {
		return nil
	}
	own, err := schema.Parse(slices.Concat([]byte(`{"const":`), body, []byte(`}`)))
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be checked: %v", what, err)}
	}
	var out []string
	report := schema.Compatibility(schema.Version{Input: own}, schema.Version{Input: s.schema}, schema.Backward)
	for _, f := range report.Findings {
		place := f.Path
		if place == "" {
			place = "the body"
		}
		out = append(out, fmt.Sprintf("%s is no %s of %s: %s at %s", what, direction, s.version, f.Rule, place))
	}
	return out
}
