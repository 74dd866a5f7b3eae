package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/rollout/simulate"
	model "gati.dev/gati/pkg/status"
)

const planLong = `Prints the steps of a manifest's Canary without a cluster, for a healthy version: how
many requests a verdict needs, how long these take at the given rate, which fault would
have shown by the end of each step, and how long the rollout takes. Without --rate it
compares several rates.

The code that decides is the controller's; pods are ready at once, the gateway takes every
weight at once, and requests come evenly.`

// usualRates are those of the table without --rate.
var usualRates = []float64{0.1, 1, 10, 100, 1000}

func newPlan(e *env.Env) *cobra.Command {
	var o *offline
	cmd := &cobra.Command{
		Use:   "plan -f FILE [NAME]",
		Short: "Print offline what each step would show, and when",
		Long:  planLong,
		Example: `  # What does each step show at 5 requests a second?
  kubectl gati rollout plan -f users.yaml --rate 5

  # How much traffic do these steps need?
  kubectl gati rollout plan -f users.yaml`,
		RunE: func(cmd *cobra.Command, names []string) error { return o.plan(names, cmd.Flags().Changed("rate")) },
	}
	o = newOffline(e, cmd, "Requests a second to all versions together. Without it, several rates are compared.")
	return cmd
}

// planDocument is the JSON form of a plan: kind RolloutPlan, cli.gati.dev/v1.
type planDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Handler    string `json:"handler"`
	// Faults are those that have to show.
	Faults []plannedFault `json:"faults"`
	// SecondsWithoutVerdict is, for each step but the last, when Inconclusive decides.
	SecondsWithoutVerdict []int64               `json:"secondsWithoutVerdict"`
	Inconclusive          v1.InconclusivePolicy `json:"inconclusive"`
	Plans                 []simulate.Plan       `json:"plans"`
	Notes                 []string              `json:"notes,omitempty"`
}

// plannedFault is the fault that a test of a metric has to show, and how many requests that needs.
type plannedFault struct {
	Metric string `json:"metric"`
	// Compared is true where the version is compared with the stable one.
	Compared bool   `json:"compared"`
	Share    string `json:"share"`
	Requests int64  `json:"requests"`
}

func (o *offline) plan(names []string, hasRate bool) error {
	rates := usualRates
	if hasRate {
		if err := o.checkRate(); err != nil {
			return err
		}
		rates = []float64{o.rate}
	}
	if _, err := o.format.Printer(); err != nil {
		return err
	}
	c, err := o.readCanary(names)
	if err != nil {
		return err
	}
	out := newPlanDocument(&c)
	for _, rate := range rates {
		out.Plans = append(out.Plans, simulate.NewPlan(c.policy, rate))
	}
	if printed, err := printDocument(o.env, o.format, &out); printed || err != nil {
		return err
	}
	printSteps := o.printRates
	if hasRate {
		printSteps = o.printPlan
	}
	if err := o.printFaults(&out); err != nil {
		return err
	}
	if err := printSteps(&c, &out); err != nil {
		return err
	}
	return printNotes(o.env, c.notes)
}

func newPlanDocument(c *canary) planDocument {
	a := c.policy.Analysis
	out := planDocument{APIVersion: model.APIVersion, Kind: "RolloutPlan", Handler: c.name, Inconclusive: a.Inconclusive, Notes: c.notes}
	for _, metric := range a.Metrics {
		for _, need := range a.Needs(metric) {
			out.Faults = append(out.Faults, plannedFault{metric.Name, need.Compared, formatShare(need.Fault), need.Requests})
		}
	}
	for _, step := range c.policy.Steps {
		longest := c.policy.JudgingTime(step)
		if a.Derived {
			longest = step.Pause // Nothing speaks against a healthy version.
		}
		out.SecondsWithoutVerdict = append(out.SecondsWithoutVerdict, int64(longest.Seconds()))
	}
	return out
}

// printFaults writes what has to show.
func (o *offline) printFaults(d *planDocument) error {
	fmt.Fprintf(o.env.Streams.Out, "gh/%s: what has to show, with a chance of 90 %%, before a step has a verdict\n\n", d.Handler)
	table := &output.Table{}
	table.Header("METRIC", "AGAINST", "FAULT", "REQUESTS TO THE NEW VERSION")
	for _, f := range d.Faults {
		against := "its limit"
		if f.Compared {
			against = "stable"
		}
		table.Row(output.Plain(f.Metric), output.Plain(against), output.Plain(f.Share), output.Plain(formatCount(f.Requests)))
	}
	if err := table.Write(o.env.Streams.Out, output.Painter{}); err != nil {
		return err
	}
	_, err := fmt.Fprintln(o.env.Streams.Out)
	return err
}

// printPlan writes the steps at one rate.
func (o *offline) printPlan(c *canary, d *planDocument) error {
	p := &d.Plans[0]
	table := &output.Table{}
	table.Header("STEP", "WEIGHT", "PAUSE", "RATE", "MISSING", "VERDICT AFTER", "ENDS AFTER", "THEN SHOWS")
	for i, step := range p.Steps {
		verdict := ""
		if at := step.SecondsToVerdict; at != nil {
			verdict = formatSeconds(*at)
		}
		table.Row(append(stepCells(i, c.steps[i]),
			output.Plain(fmt.Sprintf("%.3g/s", p.RequestsPerSecond*float64(step.Weight)/100)), output.Plain(formatCount(step.Missing)),
			output.Plain(verdict), output.Plain(c.describeEnd(i, &step)), output.Plain(describeShown(step.Shows)))...)
	}
	if err := table.Write(o.env.Streams.Out, output.Painter{}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.env.Streams.Out, "\n%s\n%s\n", c.describeWhole(p), c.describeInconclusive(d))
	return err
}

// describeEnd returns how long a step lasts.
func (c *canary) describeEnd(i int, s *simulate.PlannedStep) string {
	text := formatSeconds(s.Seconds)
	if !s.HasVerdict && i < len(c.steps)-1 {
		text += ", no verdict"
	}
	return text
}

// describeShown returns the faults that would have shown, in the order of the metrics.
func describeShown(shows []simulate.Shown) string {
	var parts []string
	for _, s := range shows {
		parts = append(parts, cmp.Or(s.Share, "nothing"))
	}
	return strings.Join(slices.Compact(parts), ", ")
}

// describeWhole returns how long the rollout takes.
func (c *canary) describeWhole(p *simulate.Plan) string {
	last := p.Steps[len(p.Steps)-1]
	switch {
	case p.SecondsToPromotion == nil:
		return fmt.Sprintf("The rollout waits for a user at step %d.", len(p.Steps))
	case last.Seconds == 0:
		return fmt.Sprintf("A healthy version has all traffic after %s.", formatSeconds(*p.SecondsToPromotion))
	default:
		return fmt.Sprintf("A healthy version has all traffic after %s, and is judged for another %s.", formatSeconds(*p.SecondsToPromotion), formatSeconds(last.Seconds))
	}
}

// describeInconclusive returns what decides where requests are missing.
func (c *canary) describeInconclusive(d *planDocument) string {
	if c.policy.Analysis.Derived {
		return "A step ends with its pause as long as nothing speaks against the version."
	}
	then := map[v1.InconclusivePolicy]string{v1.InconclusivePass: "goes on", v1.InconclusiveWait: "waits to be promoted", v1.InconclusiveFail: "rolls back"}[d.Inconclusive]
	var parts []string
	for _, n := range d.SecondsWithoutVerdict {
		parts = append(parts, formatSeconds(n))
	}
	return fmt.Sprintf("Without a verdict a step %s after %s.", then, strings.Join(slices.Compact(parts), ", "))
}

// printRates writes how long the steps last at several rates.
func (o *offline) printRates(c *canary, d *planDocument) error {
	table := &output.Table{}
	names := []string{"RATE"}
	for _, step := range c.steps {
		names = append(names, fmt.Sprintf("%d %%", step.Weight))
	}
	last := len(names) - 1
	names[last] += " AFTER"
	table.Header(append(names, "THEN SHOWS")...)
	for _, p := range d.Plans {
		row := []output.Cell{output.Plain(fmt.Sprintf("%g/s", p.RequestsPerSecond))}
		for i := range c.steps[:len(c.steps)-1] {
			text := ""
			if i < len(p.Steps) {
				text = c.describeEnd(i, &p.Steps[i])
			}
			row = append(row, output.Plain(text))
		}
		whole, shows := "waits for a user", ""
		if p.SecondsToPromotion != nil {
			whole = formatSeconds(*p.SecondsToPromotion)
		}
		if n := min(len(p.Steps), len(c.steps)-1); n > 0 {
			shows = describeShown(p.Steps[n-1].Shows)
		}
		table.Row(append(row, output.Plain(whole), output.Plain(shows))...)
	}
	if err := table.Write(o.env.Streams.Out, output.Painter{}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.env.Streams.Out, "\n%s\n", c.describeInconclusive(d))
	return err
}
