package version

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/remedy"
	model "gati.dev/gati/pkg/status"
)

func newGet(e *env.Env) *cobra.Command {
	format := output.NewFormat()
	cmd := &cobra.Command{
		Use:               "get HANDLER VERSION",
		Short:             "Show one version of a handler",
		Example:           "  kubectl gati version get users v1.2.0",
		Args:              env.Usage(cobra.ExactArgs(2)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return printVersion(cmd.Context(), e, format, args[0], args[1])
		},
	}
	format.AddTo(cmd)
	return cmd
}

func printVersion(ctx context.Context, e *env.Env, format *output.Format, handler, version string) error {
	printer, err := format.Printer()
	if err != nil {
		return err
	}
	_, s, err := readHandler(ctx, e, handler)
	if err != nil {
		return err
	}
	h := &s.Handlers[0]
	v, err := findVersion(h, version)
	if err != nil {
		return err
	}
	if printer == nil {
		return printPage(e, &s, h, v)
	}
	item := &Item{model.APIVersion, "Version", h.Namespace, h.Name, *v}
	var names []runtime.Object
	if v.Record != nil {
		names = append(names, namedObject(v.Record.Namespace, v.Record.Name))
	}
	return printAs(e, format, printer, item, names...)
}

// findVersion returns a version of a handler by its name or a tag; of several
// workloads, the one with most traffic.
func findVersion(h *model.Handler, version string) (*model.Version, error) {
	var best *model.Version
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.HasName(version) && (best == nil || v.Weight > best.Weight) {
			best = v
		}
	}
	if best == nil {
		return nil, fmt.Errorf("gh/%s has no version %q; see %s", h.Name, version, remedy.ListVersions.For(h.Name+" -n "+h.Namespace))
	}
	return best, nil
}

// printPage writes the known fields of a version.
func printPage(e *env.Env, s *model.Snapshot, h *model.Handler, v *model.Version) error {
	t := output.Table{}
	add := func(name, value string) {
		if value != "" {
			t.Row(output.Cell{Text: name}, output.Cell{Text: value})
		}
	}
	add("Version", v.Version)
	add("Handler", fmt.Sprintf("%s (namespace %s)", h.Name, h.Namespace))
	add("Phase", string(v.Phase))
	add("Role", string(v.Role))
	if v.Sequence > 0 {
		add("Weight", fmt.Sprintf("%d%%", v.Weight))
	}
	if v.AcceptedWeight != nil {
		add("Accepted", fmt.Sprintf("%d%%", *v.AcceptedWeight))
	}
	if v.Workload != "" {
		add("Workload", v.Workload)
		add("Ready", fmt.Sprintf("%d/%d", v.Ready, v.Desired))
	}
	if r := v.Record; r != nil {
		add("Record", fmt.Sprintf("%s, %s old", r.Name, s.Age(r.CreatedAt)))
		add("Why", r.Why)
		if r.Traffic != nil {
			add("Traffic", fmt.Sprintf("%d requested by the version record", *r.Traffic))
		}
	}
	add("Notes", strings.Join(v.Notes(), ", "))
	return t.Write(e.Streams.Out, output.Painter{})
}
