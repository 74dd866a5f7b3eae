package compat

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/schema"
)

// MaxServed bounds the versions of other runs that a version is reported to serve; the
// newest are kept.
const MaxServed = 16

// Run maps each version to the first version of its run. Within a run no version breaks
// the callers of its predecessor.
type Run map[string]string

// Runs returns the run of every version. A version that is no longer live keeps its
// recorded run, because its schema may be gone.
//
// The only error is that of the context of Within.
func (j *Judge) Runs(f Family) (Run, error) {
	out := Run{}
	var last []Version // the newest member of each run, oldest first
	for i, v := range f.Versions {
		run, err := j.runFor(f, i, last, out)
		if err != nil {
			return nil, fmt.Errorf("compare the schemas of %s: %w", v.Name, err)
		}
		last = append(slices.DeleteFunc(last, func(o Version) bool { return out[o.Name] == run }), v)
		out[v.Name] = run
	}
	return out, nil
}

// runFor returns the run of the version at an index, given the runs of older versions.
func (j *Judge) runFor(f Family, at int, last []Version, runs Run) (string, error) {
	v := f.Versions[at]
	isOver := !v.Live && v.Name != f.Declared
	switch {
	case isOver && v.Run != "":
		return v.Run, nil
	case at == 0:
		return v.Name, nil
	case f.Policy.Mode == schema.None, isOver, v.Overridden:
		return runs[f.Versions[at-1].Name], nil
	case v.Claimed != nil && *v.Claimed:
		return v.Name, nil
	}
	is := j.parseSchema(v.Schema)
	for _, before := range slices.Backward(last) {
		report, err := j.compareSchemas(f.Namespace, j.parseSchema(before.Schema), is, f.Policy.Mode)
		if err != nil {
			return "", err
		}
		if !report.Breaking {
			return runs[before.Name], nil
		}
	}
	return v.Name, nil
}

// AreOne reports whether there is a single run, so that every version serves the
// callers of every other.
func (r Run) AreOne() bool {
	first := ""
	for _, run := range r {
		if first != "" && run != first {
			return false
		}
		first = run
	}
	return true
}

// Serves returns the versions of other runs whose callers a version serves, oldest
// first. Either it does not break them, or every step from them has a transformer.
//
// The only error is that of the context of Within.
func (j *Judge) Serves(f Family, runs Run, version string) ([]string, error) {
	v, at := f.findVersion(version)
	if at < 0 {
		return nil, nil
	}
	chain, is := f.hopChain(runs), j.parseSchema(v.Schema)
	var out []string
	for _, caller := range f.Versions {
		if runs[caller.Name] == runs[version] {
			continue
		}
		served, _ := chain.Covers(caller.Name, version)
		if !served && (caller.Live || caller.Name == f.Contract) && (v.Claimed == nil || !*v.Claimed) {
			report, err := j.compareSchemas(f.Namespace, j.parseSchema(caller.Schema), is, f.Policy.Mode)
			if err != nil {
				return nil, fmt.Errorf("compare the schemas of %s: %w", version, err)
			}
			served = !report.Breaking
		}
		if served {
			out = append(out, caller.Name)
		}
	}
	return out[max(0, len(out)-MaxServed):], nil
}

// identityHops returns the upward steps between adjacent versions that need no
// transformer.
func (f Family) identityHops(runs Run) []schema.Hop {
	var out []schema.Hop
	for i := 1; i < len(f.Versions); i++ {
		old, new := f.Versions[i-1].Name, f.Versions[i].Name
		if runs[old] != "" && runs[old] == runs[new] {
			out = append(out, schema.Hop{From: old, To: new})
		}
	}
	return out
}

// Members returns the versions of a version's run, oldest first.
func (f Family) Members(runs Run, version string) []string {
	var out []string
	for _, v := range f.Versions {
		if run := runs[v.Name]; run != "" && run == runs[version] {
			out = append(out, v.Name)
		}
	}
	return out
}

// contractOf returns the contract version in a status; empty when it follows the stable
// version.
func contractOf(st v1.GatiHandlerStatus) string {
	if st.Rollout == nil || st.Rollout.Contract == nil {
		return ""
	}
	return st.Rollout.Contract.Version
}
