package rollout

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"gati.dev/gati/pkg/cli/output"
	machine "gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/simulate"
)

// printSimulation writes a simulation for people: what became of both versions, and the steps.
func (o *simulation) printSimulation(c *canary, s *simulationDocument) error {
	out := o.env.Streams.Out
	fmt.Fprintf(out, "gh/%s at %g requests/s, %d rollouts of each version (seed %d)\n\n", s.Handler, s.RequestsPerSecond, s.Runs, s.Seed)
	table := &output.Table{}
	table.Header("VERSION", "FAILS "+s.Fault, "FAILS NONE")
	for _, row := range []struct {
		name  string
		value func(*simulate.Summary) string
	}{
		{"rolled back before 100 %", func(v *simulate.Summary) string { return formatPart(v.RolledBack, s.Runs) }},
		{"rolled back later", func(v *simulate.Summary) string { return formatPart(v.RolledBackLater, s.Runs) }},
		{"waits for a user", func(v *simulate.Summary) string { return formatPart(v.Waiting, s.Runs) }},
		{"promoted", func(v *simulate.Summary) string { return formatPart(v.Promoted, s.Runs) }},
		{"rolled back after", func(v *simulate.Summary) string { return formatSpread(v.SecondsToRollback, formatSeconds) }},
		{"promoted after", func(v *simulate.Summary) string { return formatSpread(v.SecondsToPromotion, formatSeconds) }},
		{"failed requests", func(v *simulate.Summary) string { return formatSpread(&v.FailedRequests, formatCount) }},
	} {
		table.Row(output.Plain(row.name), output.Plain(row.value(&s.Faulty)), output.Plain(row.value(&s.Healthy)))
	}
	if err := table.Write(out, output.Painter{}); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := o.printSteps(c, s); err != nil {
		return err
	}
	return printNotes(o.env, s.Notes)
}

// printSteps writes where faults were found, and when a healthy version comes to each step.
func (o *simulation) printSteps(c *canary, s *simulationDocument) error {
	table := &output.Table{}
	table.Header("STEP", "WEIGHT", "PAUSE", "FOUND", "HEALTHY BEGINS AFTER")
	for i, step := range c.steps {
		table.Row(append(stepCells(i, step),
			output.Plain(formatPart(s.Faulty.Steps[i].RolledBack, s.Runs)),
			output.Plain(formatSpread(s.Healthy.Steps[i].SecondsToBegin, formatSeconds)))...)
	}
	return table.Write(o.env.Streams.Out, output.Painter{})
}

// stepCells returns the number, the weight and the pause of a step.
func stepCells(i int, s machine.Step) []output.Cell {
	pause := ""
	if s.Pause > 0 {
		pause = duration.HumanDuration(s.Pause)
	}
	return []output.Cell{output.Plain(formatCount(int64(i + 1))), output.Plain(fmt.Sprintf("%d %%", s.Weight)), output.Plain(pause)}
}

// formatSpread writes the median, and where it differs the 90th percentile.
func formatSpread(s *simulate.Spread, format func(int64) string) string {
	if s == nil {
		return ""
	}
	median, upper := format(s.Median), format(s.Percentile90)
	if median == upper {
		return median
	}
	return fmt.Sprintf("%s (90 %%: %s)", median, upper)
}

func formatSeconds(n int64) string { return duration.HumanDuration(time.Duration(n) * time.Second) }

func formatCount(n int64) string { return strconv.FormatInt(n, 10) }

// formatPart writes a part of all in percent.
func formatPart(n, all int) string { return formatShare(float64(n) / float64(all)) }
