package replay

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Recorder keeps the decisions of one rollout. The zero value has none.
type Recorder struct {
	// groups are dropped as a whole. The first has only the first decision.
	groups []group
	// noted counts the decisions of the rollout.
	noted int
}

// group has the entries of some decisions in a row, compressed: little is new in an entry after
// the one before.
type group struct {
	packed  []byte
	entries int
}

// MaxSize is how large a record may become, in bytes.
const MaxSize = 64 << 10

// maxGroup is how many entries a group has at most: all of them are read for each new one.
const maxGroup = 16

// Note takes in a decision that was persisted, and reports whether a rollout has ended or
// failed with it. Where all would take more than limit bytes, the oldest decisions but the
// first are dropped.
//
// A record begins with a rollout and goes on until its version is judged no more. Only what
// changes the state is recorded. A handler at rest has no record.
func (r *Recorder) Note(release string, in rollout.Input, d rollout.Decision, limit int) (isOver bool, err error) {
	was, is := isUnderWay(in.State), isUnderWay(d.State)
	isBack := phaseOf(d.State) == v1.RolloutRollingBack
	switch {
	case !was && !is && !isWatched(&in, &d):
		*r = Recorder{}
		return false, nil
	case !was && is && !isBack:
		*r = Recorder{}
	}
	if equality.Semantic.DeepEqual(in.State, d.State) {
		return false, nil
	}
	r.noted++
	text, err := json.Marshal(Entry{Number: r.noted, Release: release, Input: in, Decision: d})
	if err != nil {
		return false, err
	}
	hasFailed := phaseOf(d.State) == v1.RolloutFailed && phaseOf(in.State) != v1.RolloutFailed
	return was && !is || hasFailed, r.add(text, limit)
}

// isUnderWay reports whether a handler is being rolled out, or back. One that starts with its
// first version is not: there is nothing to decide about it.
func isUnderWay(s rollout.State) bool {
	return rollout.HoldsPlace(s.Rollout) || s.Rollout != nil && s.Rollout.Target != nil
}

func phaseOf(s rollout.State) v1.RolloutPhase {
	if s.Rollout == nil {
		return ""
	}
	return s.Rollout.Phase
}

// isWatched reports whether a promoted version may still be taken back.
func isWatched(in *rollout.Input, d *rollout.Decision) bool {
	since := rollout.WatchedSince(d.State)
	return since != nil && in.Now.Before(since.Add(in.Policy.RollbackWindow))
}

// IsEmpty reports whether nothing is recorded.
func (r *Recorder) IsEmpty() bool { return r.noted == 0 }

// add appends an entry, and drops older ones beyond the limit.
func (r *Recorder) add(text []byte, limit int) error {
	last := len(r.groups) - 1
	if last < 1 || r.groups[last].entries == maxGroup || len(r.groups[last].packed) > limit/4 {
		r.groups = append(r.groups, group{})
		last++
	}
	if err := r.groups[last].add(append(text, '\n')); err != nil {
		return err
	}
	for r.size() > limit {
		oldest := min(1, len(r.groups)-1)
		r.groups = slices.Delete(r.groups, oldest, oldest+1)
	}
	return nil
}

// size returns how many bytes are kept.
func (r *Recorder) size() (out int) {
	for _, g := range r.groups {
		out += len(g.packed)
	}
	return out
}

// Record returns what is recorded, for Read; nil where there is nothing.
func (r *Recorder) Record() ([]byte, error) {
	if len(r.groups) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	lines := gzip.NewWriter(&out)
	for _, g := range r.groups {
		text, err := g.unpack()
		if err != nil {
			return nil, err
		}
		if _, err := lines.Write(text); err != nil {
			return nil, err
		}
	}
	err := lines.Close()
	return out.Bytes(), err
}

// add appends a text. Its blocks of the deflate format refer to what is there already.
func (g *group) add(text []byte) error {
	before, err := g.unpack()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := flate.NewWriterDict(&out, flate.DefaultCompression, before)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	g.packed, g.entries = slices.Concat(g.packed, out.Bytes()), g.entries+1
	return nil
}

// lastBlock ends a stream of the deflate format, and has nothing.
var lastBlock = []byte{1, 0, 0, 0xff, 0xff}

func (g *group) unpack() ([]byte, error) {
	return io.ReadAll(flate.NewReader(io.MultiReader(bytes.NewReader(g.packed), bytes.NewReader(lastBlock))))
}
