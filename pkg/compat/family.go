package compat

import (
	"cmp"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/schema"
)

// Version is one version of a handler with its compatibility data.
type Version struct {
	Name string
	// Schema is its contract with callers; nil if it has none.
	Schema *v1.VersionSchema
	// Claimed is its author's word on whether it breaks the callers before it.
	Claimed *bool
	// Live is true when it may be called, Serves when it has weighted traffic.
	Live, Serves bool
	// Run is the first version of the run that it was found to be of; empty where it was
	// not compared yet, or all are of one.
	Run string
	// Overridden reports whether a user let it take traffic although it breaks callers.
	Overridden bool
}

// Policy is a spec's rules for versions that break their callers.
type Policy struct {
	Mode       schema.Mode
	Transitive bool
	Strategy   v1.Strategy
	// Gateway is true when an HTTPRoute moves the traffic, so that a version can be
	// reached by its header alone.
	Gateway bool
}

// Family are the versions of one handler.
type Family struct {
	Namespace, Handler string

	Policy Policy
	// Versions are those that the handler has admitted, oldest first, and last
	// what it declares.
	Versions []Version
	// Stable is the version that serves; empty where none does yet.
	Stable string
	// Declared is the version that the handler declares.
	Declared string
	// Contract is the version that callers without a version speak; empty where it
	// follows the stable one.
	Contract string
	// Hops are the transformers of all records.
	Hops []schema.Hop
}

// Source has the objects that a family is gathered from.
type Source struct {
	// Handler is the handler with its stored status.
	Handler *v1.GatiHandler
	// Resolved is its spec.
	Resolved defaulting.Handler
	// Before is the spec as it is stored and what it declares, where that is to be
	// changed.
	Before         *v1.GatiHandlerSpec
	BeforeDeclares string
	// Stable is the version that serves; where it is empty the status tells.
	Stable string
	// Records are the records that count, by version.
	Records map[string]*v1.GatiVersion
	// Frozen are the schemas that were kept with revisions, by version.
	Frozen map[string]*v1.VersionSchema
}

// FamilyOf gathers the versions of a handler.
func FamilyOf(src Source) Family {
	f := Family{
		Namespace: src.Handler.Namespace, Handler: src.Handler.Name, Policy: policyOf(src.Resolved),
		Stable:   cmp.Or(src.Stable, StableOf(src.Handler.Status), src.BeforeDeclares),
		Declared: src.Resolved.Version, Contract: contractOf(src.Handler.Status),
		Hops: HopsOf(src.Records, ""),
	}
	for _, name := range src.order() {
		f.Versions = append(f.Versions, src.version(name))
	}
	return f
}

func policyOf(h defaulting.Handler) Policy {
	return Policy{
		Mode: schema.Mode(h.Spec.Versions.Compatibility), Transitive: h.Spec.Versions.Transitive != nil && *h.Spec.Versions.Transitive,
		Strategy: h.Spec.Rollout.Strategy, Gateway: h.Spec.Route != nil,
	}
}

// StableOf is the version that serves by a status, empty where none does: the one
// with the most traffic where the rollout was lost.
func StableOf(st v1.GatiHandlerStatus) string {
	if st.Rollout != nil && st.Rollout.Stable != nil {
		return st.Rollout.Stable.Version
	}
	var most v1.VersionStatus
	for _, v := range st.Versions {
		if v.Weight > most.Weight {
			most = v
		}
	}
	return most.Version
}

// order are the versions in the order of their first admission, which is that of
// the status. What was just declared comes last.
func (src Source) order() []string {
	known := slices.Clone(src.Handler.Status.Versions)
	slices.SortStableFunc(known, func(a, b v1.VersionStatus) int { return cmp.Compare(a.Sequence, b.Sequence) })
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, v := range known {
		add(v.Version)
	}
	add(src.BeforeDeclares)
	add(src.Resolved.Version)
	return out
}

func (src Source) version(name string) Version {
	out := Version{Name: name, Schema: src.schemaOf(name), Claimed: src.claimOf(name)}
	out.Overridden = v1.OverriddenBy(src.Handler.Status.Versions, name) != "" || AllowedBy(src.Handler, name) != ""
	for _, v := range src.Handler.Status.Versions {
		if v.Version == name && v.Run != "" {
			out.Run = v.Run
		}
		if v.Version == name && v.Phase != v1.VersionDecommissioned && v.Workload != "" {
			out.Live, out.Serves = true, out.Serves || v.Weight > 0
		}
	}
	return out
}

// claimOf is the author's word: that of the record, and of the handler on what it
// declares. An automatic record only repeats what the handler once said.
func (src Source) claimOf(name string) *bool {
	var claim *bool
	hear := func(said *bool) {
		if said != nil && (claim == nil || *said) {
			claim = said
		}
	}
	declared := name == src.Resolved.Version
	if r := src.Records[name]; r != nil && (!declared || !records.IsAutomatic(r)) {
		hear(r.Spec.Breaking)
	}
	if t := src.Handler.Spec.Timescape; t != nil && declared {
		hear(t.Breaking)
	}
	return claim
}

// find returns a version and its place in the order.
func (f Family) find(name string) (Version, int) {
	i := slices.IndexFunc(f.Versions, func(v Version) bool { return v.Name == name })
	if i < 0 {
		return Version{}, -1
	}
	return f.Versions[i], i
}

// chain has the steps between the versions. runs are nil where only transformers count.
func (f Family) chain(runs Run) schema.Chain {
	c := schema.Chain{Hops: f.Hops, Identities: f.identities(runs)}
	for _, v := range f.Versions {
		c.Order = append(c.Order, v.Name)
	}
	return c
}
