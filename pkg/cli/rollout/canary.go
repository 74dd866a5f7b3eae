package rollout

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
	machine "gati.dev/gati/pkg/rollout"
)

// offline are the flags of the commands that play the rollout of a manifest.
type offline struct {
	env    *env.Env
	files  manifest.Files
	format *output.Format
	rate   float64
}

func newOffline(e *env.Env, cmd *cobra.Command, rate string) *offline {
	o := &offline{env: e, format: output.NewFormat()}
	cmd.Args = env.Usage(cobra.MaximumNArgs(1))
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	o.files.AddTo(cmd)
	cmd.Flags().Float64Var(&o.rate, "rate", 0, rate)
	o.format.AddTo(cmd)
	return o
}

// maxRate bounds --rate: more changes no verdict.
const maxRate = 1e6

func (o *offline) checkRate() error {
	if !(o.rate > 0 && o.rate <= maxRate) {
		return exit.Usagef("--rate must be more than 0 and at most %.0f requests a second, such as --rate 5", maxRate)
	}
	return nil
}

// canary is a handler whose rollout is judged by its requests.
type canary struct {
	name   string
	policy machine.Policy
	// steps are those of the spec, with the end.
	steps []machine.Step
	// notes are what the playing of its rollout leaves out.
	notes []string
}

// anyImage stands for the image of a handler without one: its rollout does not depend on it.
const anyImage = "image"

// readCanary returns the Canary of the files: the named one, or the only handler.
func (o *offline) readCanary(names []string) (canary, error) {
	if err := o.files.Check(); err != nil {
		return canary{}, err
	}
	set, err := o.files.Read(o.env.Streams.In)
	if err != nil {
		return canary{}, err
	}
	doc, err := o.findHandler(set, names)
	if err != nil {
		return canary{}, err
	}
	result := admit.Check(doc.Object, nil, admit.Surroundings{Facts: set.Facts(doc.Object.GetNamespace(), anyImage)})
	var faults []error
	for _, e := range result.Errors {
		faults = append(faults, fmt.Errorf("%s: %w", manifest.Place(doc), e))
	}
	if len(faults) > 0 {
		return canary{}, exit.With(exit.Unhealthy, errors.Join(faults...))
	}
	out := canary{name: doc.Object.GetName(), policy: machine.PolicyFor(*result.Handler)}
	out.steps = out.policy.AllSteps()
	if err := out.prepare(o.rate); err != nil {
		return canary{}, exit.With(exit.Unhealthy, fmt.Errorf("%s: %w", manifest.Place(doc), err))
	}
	return out, nil
}

// findHandler returns the document of the named handler, or of the only one.
func (o *offline) findHandler(set *manifest.Set, names []string) (*admit.Document, error) {
	if len(set.Broken) > 0 {
		return nil, exit.With(exit.Unhealthy, errors.Join(set.Broken...))
	}
	var found []*admit.Document
	var titles []string
	for i := range set.Documents {
		doc := &set.Documents[i]
		if doc.Err != nil && !doc.Foreign {
			return nil, exit.With(exit.Unhealthy, fmt.Errorf("%s: %w", manifest.Place(doc), doc.Err))
		}
		if handler, ok := doc.Object.(*v1.GatiHandler); ok && o.isMeant(handler, names) {
			found, titles = append(found, doc), append(titles, strings.TrimPrefix(handler.Namespace+"/"+handler.Name, "/"))
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no GatiHandler %sfound in %s", strings.Join(append(names, ""), " "), &o.files)
	case 1:
		return found[0], nil
	default:
		return nil, exit.Usagef("%s has the handlers %s; name one of them, or its namespace with -n", &o.files, strings.Join(titles, ", "))
	}
}

// isMeant reports whether a handler has the name and namespace that were given.
func (o *offline) isMeant(h *v1.GatiHandler, names []string) bool {
	namespace := o.env.GivenNamespace()
	return (len(names) == 0 || strings.TrimPrefix(names[0], "gh/") == h.Name) && (namespace == "" || h.Namespace == "" || namespace == h.Namespace)
}

// prepare refuses a rollout that no requests judge, and leaves out what has no simulation.
func (c *canary) prepare(perSecond float64) error {
	p := &c.policy
	switch {
	case p.Strategy != v1.StrategyCanary:
		return fmt.Errorf("spec.rollout.strategy is %s: only a Canary is judged by its requests; set strategy: Canary", p.Strategy)
	case p.Analysis == nil:
		return errors.New("spec.rollout.analysis judges no requests: a version is promoted by its pods alone; remove enabled: false, or the analysis, for the default one")
	case !slices.ContainsFunc(p.Analysis.Metrics, func(m machine.Metric) bool { return m.Kind == machine.SuccessRate }):
		return errors.New("spec.rollout.analysis has no successRate: no failed request would be noticed; add one, such as successRate: {min: \"99\"}")
	}
	a := *p.Analysis
	a.Metrics = slices.DeleteFunc(slices.Clone(a.Metrics), func(m machine.Metric) bool { return m.Kind == machine.Query })
	if len(a.Metrics) < len(p.Analysis.Metrics) {
		c.notes = append(c.notes, "Queries count as passed.")
	}
	if len(p.Checks) > 0 {
		c.notes = append(c.notes, "Checks count as passed.")
	}
	if a.DryRun {
		c.notes = append(c.notes, "analysis.dryRun is set: this is what would happen without it.")
	}
	if a.Derived {
		c.notes = append(c.notes, "The spec has no analysis: the default one judges, where the pods export gati_http_requests_total.")
	}
	a.DryRun, p.Analysis = false, &a
	return c.resolveSteps(perSecond)
}

// resolveSteps plans the steps where the spec wants that, and lets none wait for a user: one
// without a pause ends with its verdict.
func (c *canary) resolveSteps(perSecond float64) error {
	switch {
	case c.policy.Harm > 0 && perSecond == 0:
		return errors.New("spec.rollout.autoSteps plans the steps by the rate of requests; give it with --rate")
	case c.policy.Harm > 0:
		planned := c.policy.PlanSteps(perSecond)
		c.steps = c.policy.StepsOf(&v1.RolloutStatus{Planned: planned})
		c.policy.Harm = 0
		c.notes = append(c.notes, "The steps are planned: "+planned.Message+".")
	}
	steps := slices.Clone(c.steps[:len(c.steps)-1])
	for i := range steps {
		if steps[i].Pause == 0 {
			steps[i].Pause = time.Second
		}
	}
	if !slices.Equal(steps, c.steps[:len(steps)]) {
		c.notes = append(c.notes, "A step without a pause counts as promoted once nothing else holds it.")
	}
	c.policy.Steps = steps
	return nil
}

// parseShare reads a share such as 2%.
func parseShare(flag, text string) (float64, error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !isPercent || !(share >= 0 && share <= 100) {
		return 0, exit.Usagef("%s must be a share from 0%% to 100%%, such as %s 2%%, not %q", flag, flag, text)
	}
	return math.Round(share*1e6) / 1e8, nil
}

// printDocument prints a document in the format of -o, and reports whether one was asked for.
func printDocument(e *env.Env, format *output.Format, document any) (bool, error) {
	printer, err := format.Printer()
	if err != nil || printer == nil {
		return false, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(document)
	if err != nil {
		return true, fmt.Errorf("print: %w", err)
	}
	return true, output.Print(printer, e.Streams.Out, &unstructured.Unstructured{Object: content})
}

// printNotes writes what was left out.
func printNotes(e *env.Env, notes []string) error {
	if len(notes) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(e.Streams.Out, "\n%s\n", strings.Join(notes, "\n"))
	return err
}

// formatShare writes a share in percent.
func formatShare(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e4)/1e2, 'f', -1, 64) + " %"
}
