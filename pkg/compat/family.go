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
	// Claimed is the author's claim whether the version breaks older callers; nil
	// without a claim.
	Claimed *bool
	// Live is true when callers can reach the version, Serves when it has weighted
	// traffic.
	Live, Serves bool
	// Run is the first version of the run that this version was found to belong to. It
	// is empty before the first comparison, and when all versions are in one run.
	Run string
	// Overridden is true when a user allowed traffic although the version breaks
	// callers.
	Overridden bool
}

// Policy holds a spec's rules for versions that break callers.
type Policy struct {
	Mode       schema.Mode
	Transitive bool
	Strategy   v1.Strategy
	// Gateway is true when an HTTPRoute splits the traffic, so that a version can be
	// reached by header only.
	Gateway bool
}

// Family are the versions of one handler.
type Family struct {
	Namespace, Handler string

	Policy Policy
	// Versions are the admitted versions, oldest first, followed by the declared one.
	Versions []Version
	// Stable is the stable version; empty before there is one.
	Stable string
	// Declared is the version that the handler declares.
	Declared string
	// Contract is the version that callers without a version header speak; empty when
	// it follows the stable version.
	Contract string
	// Hops are the transformers of all records.
	Hops []schema.Hop
}

// Source has the objects that describe a family.
type Source struct {
	// Handler is the handler with its stored status.
	Handler *v1.GatiHandler
	// Resolved is its spec.
	Resolved defaulting.Handler
	// Before is the stored spec and BeforeDeclares the version that it declares; both
	// are unset unless an update is checked.
	Before         *v1.GatiHandlerSpec
	BeforeDeclares string
	// Stable is the stable version; when empty, the status decides.
	Stable string
	// Records are the elected records, by version.
	Records map[string]*v1.GatiVersion
	// Frozen are the schemas that are stored with revisions, by version.
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
	for _, name := range src.versionOrder() {
		f.Versions = append(f.Versions, src.versionFor(name))
	}
	return f
}

func policyOf(h defaulting.Handler) Policy {
	return Policy{
		Mode: schema.Mode(h.Spec.Versions.Compatibility), Transitive: h.Spec.Versions.Transitive != nil && *h.Spec.Versions.Transitive,
		Strategy: h.Spec.Rollout.Strategy, Gateway: h.Spec.Route != nil,
	}
}

// StableOf returns the stable version in a status, or an empty string. Without rollout
// state it is the version with the most traffic.
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

// versionOrder returns the versions in the order of their first admission, which the status
// records. The declared version comes last.
func (src Source) versionOrder() []string {
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

func (src Source) versionFor(name string) Version {
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

// claimOf returns the author's claim about a version. Both the record and the handler
// that declares the version can make one. An automatic record only repeats an earlier
// claim of the handler.
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

// findVersion returns a version and its index.
func (f Family) findVersion(name string) (Version, int) {
	i := slices.IndexFunc(f.Versions, func(v Version) bool { return v.Name == name })
	if i < 0 {
		return Version{}, -1
	}
	return f.Versions[i], i
}

// hopChain returns the steps between the versions. With nil runs only transformers count.
func (f Family) hopChain(runs Run) schema.Chain {
	c := schema.Chain{Hops: f.Hops, Identities: f.identityHops(runs)}
	for _, v := range f.Versions {
		c.Order = append(c.Order, v.Name)
	}
	return c
}
