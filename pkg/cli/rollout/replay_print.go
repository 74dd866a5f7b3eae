package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	machine "gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/replay"
	model "gati.dev/gati/pkg/status"
)

// replayDocument is the JSON form of a replay: kind RolloutReplay, cli.gati.dev/v1.
type replayDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Handler    string `json:"handler"`
	// Releases are those that decided.
	Releases  []string           `json:"releases"`
	Decisions []replayedDecision `json:"decisions"`
	Notes     []string           `json:"notes,omitempty"`
}

// replayedDecision is one decision as it was recorded.
type replayedDecision struct {
	Number  int               `json:"number"`
	At      metav1.MicroTime  `json:"at"`
	Release string            `json:"release"`
	Phase   v1.RolloutPhase   `json:"phase"`
	Step    int32             `json:"step,omitempty"`
	Weights string            `json:"weights"`
	Reason  string            `json:"reason"`
	Metrics []v1.MetricStatus `json:"metrics,omitempty"`
	// Differs are the values that come out otherwise now.
	Differs []replay.Difference `json:"differs,omitempty"`
}

// newReplayDocument decides again on all entries.
func newReplayDocument(entries []replay.Entry) (*replayDocument, error) {
	out := &replayDocument{APIVersion: model.APIVersion, Kind: "RolloutReplay", Handler: entries[0].Input.Handler}
	for i := range entries {
		e := &entries[i]
		if !slices.Contains(out.Releases, e.Release) {
			out.Releases = append(out.Releases, e.Release)
		}
		one := replayedDecision{Number: e.Number, At: metav1.NewMicroTime(e.Input.Now), Release: e.Release, Reason: e.Decision.Reason, Weights: describeWeights(e.Decision.Versions)}
		if ro := e.Decision.Rollout; ro != nil {
			one.Phase, one.Metrics = ro.Phase, ro.Analysis
			if ro.Target != nil {
				one.Step = ro.Step + 1
			}
		}
		var err error
		if one.Differs, err = e.Replay(machine.Next); err != nil {
			return nil, err
		}
		out.Decisions = append(out.Decisions, one)
	}
	out.Notes = describeGaps(entries)
	return out, nil
}

// describeGaps returns what the record lacks.
func describeGaps(entries []replay.Entry) (out []string) {
	first := entries[0].Input
	if ro := first.State.Rollout; ro != nil && ro.Target != nil && ro.StartedAt != nil {
		out = append(out, fmt.Sprintf("The record begins at %s, and the rollout began at %s: another process decided until then.",
			formatMoment(first.Now), formatMoment(ro.StartedAt.Time)))
	}
	for i, e := range entries[1:] {
		if before := entries[i].Number; e.Number > before+1 {
			out = append(out, fmt.Sprintf("Decisions %d to %d were dropped: a record has at most %d KiB.", before+1, e.Number-1, replay.MaxSize>>10))
		}
	}
	return out
}

// judge returns an error where decisions differ.
func (d *replayDocument) judge(plugin string) error {
	differs := 0
	for i := range d.Decisions {
		if len(d.Decisions[i].Differs) > 0 {
			differs++
		}
	}
	switch {
	case differs == 0:
		return nil
	case slices.Equal(d.Releases, []string{plugin}):
		return exit.With(exit.Unhealthy, fmt.Errorf("%d of %d decisions differ within release %s: this is a defect; report it with the ConfigMap", differs, len(d.Decisions), plugin))
	default:
		return exit.With(exit.Unhealthy, fmt.Errorf("%d of %d decisions differ between release %s, which decided, and %s: a rule may have changed; where they differ with the plugin of that release, too, report it with the ConfigMap",
			differs, len(d.Decisions), strings.Join(d.Releases, ", "), plugin))
	}
}

// maxShown bounds the values that are shown of one decision; JSON has all.
const maxShown = 8

// print writes one line for each decision, and what differs.
func (d *replayDocument) print(e *env.Env) error {
	first, last := &d.Decisions[0], &d.Decisions[len(d.Decisions)-1]
	fmt.Fprintf(e.Streams.Out, "gh/%s: %d decisions of release %s, %s to %s UTC\n\n", d.Handler, len(d.Decisions), strings.Join(d.Releases, ", "), formatMoment(first.At.Time), formatMoment(last.At.Time))
	table := &output.Table{Width: output.Width(e.Streams.Out)}
	table.Header("TIME", "PHASE", "STEP", "WEIGHTS", "EVIDENCE", "REASON")
	var differs []string
	for i := range d.Decisions {
		one := &d.Decisions[i]
		table.Row(output.Plain(one.At.UTC().Format(time.TimeOnly)), output.Plain(string(one.Phase)), output.Plain(one.describeStep()),
			output.Plain(one.Weights), output.Plain(one.describeEvidence()), output.Plain(one.Reason))
		differs = append(differs, one.describeDifferences()...)
	}
	if err := table.Write(e.Streams.Out, output.Painter{}); err != nil {
		return err
	}
	if differs == nil {
		differs = []string{"Decided again, each of them is the same."}
	}
	return printNotes(e, append(slices.Clone(d.Notes), differs...))
}

func (d *replayedDecision) describeStep() string {
	if d.Step == 0 {
		return ""
	}
	return formatCount(int64(d.Step))
}

// describeEvidence returns the numbers of each metric.
func (d *replayedDecision) describeEvidence() string {
	var parts []string
	for i := range d.Metrics {
		m := &d.Metrics[i]
		if text := model.SummarizeMetric(m, d.At.Time); m.Verdict != v1.AnalysisRunning && text != "" {
			parts = append(parts, fmt.Sprintf("%s %s: %s", m.Name, m.Verdict, text))
		}
	}
	return strings.Join(parts, " | ")
}

func (d *replayedDecision) describeDifferences() []string {
	var out []string
	for i, one := range d.Differs {
		if i == maxShown {
			return append(out, fmt.Sprintf("  and %d more; -o json has all of them", len(d.Differs)-i))
		}
		if i == 0 {
			out = append(out, fmt.Sprintf("Decision %d, %s, differs:", d.Number, formatMoment(d.At.Time)))
		}
		out = append(out, output.Line(fmt.Sprintf("  %s: %s, now %s", one.Field, cmp.Or(one.Recorded, "nothing"), cmp.Or(one.Now, "nothing"))))
	}
	return out
}

// describeWeights returns the weights of the units: status.weights adds up those of a version.
func describeWeights(versions []v1.VersionStatus) string {
	var parts []string
	for i := range versions {
		if v := &versions[i]; v.Weight > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d%%", v.Title(), v.Weight))
		}
	}
	return strings.Join(parts, ",")
}

func formatMoment(t time.Time) string { return t.UTC().Format(time.DateTime) }
