package doctor

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/printers"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/doctor/checkup"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

const long = `Checks the Gati installation and suggests a remedy for each problem. It covers the API
server, the CRDs and their stored versions, hooks, policies, certificates, a dry-run
create of a handler in both API versions, your rights, and what the handlers of the
namespace need: gateways, metrics, Prometheus.

--pre checks whether Gati can be installed on the cluster.

Check ids are stable. The exit code is 3 if a check finds a problem; notes, and objects
that you may not read, leave it at 0. Nothing is written.

-o short prints only problems and notes, one line each. With -o json and the like, the
output is one object of the kind Checkup, cli.gati.dev/v1.`

const examples = `  kubectl gati doctor --pre
  kubectl gati doctor -n shop
  kubectl gati doctor -o jsonpath='{.findings[?(@.level=="problem")].check}'`

// short is the command's own format.
const short = "short"

type options struct {
	env    *env.Env
	format *output.Format
	color  output.ColorFlag
	pre    bool

	printer printers.ResourcePrinter
	painter output.Painter
}

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e, format: output.NewFormat(short)}
	cmd := &cobra.Command{
		Use:               "doctor",
		Short:             "Check the Gati installation and suggest remedies",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.runChecks(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&o.pre, "pre", false, "Check whether Gati can be installed on the cluster.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

func (o *options) runChecks(ctx context.Context) (err error) {
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.painter, err = o.color.Painter(o.env.Streams.Out); err != nil {
		return err
	}
	found, err := Examine(ctx, o.env, o.pre)
	if err != nil {
		return err
	}
	r := newReport(found)
	if err := o.printReport(r); err != nil {
		return err
	}
	if r.Problems > 0 {
		return exit.Silent(exit.Unhealthy)
	}
	return nil
}

// Examine reads the cluster and judges it: before an installation, or after.
func Examine(ctx context.Context, e *env.Env, pre bool) ([]checkup.Finding, error) {
	ctx, cancel := cluster.Bounded(ctx, e)
	defer cancel()
	f := &checkup.Facts{Now: e.Now(), Plugin: e.Version}
	var err error
	if f.Namespace, err = e.Namespace(); err != nil {
		return nil, err
	}
	if f.Shipped, err = readShipped(); err != nil {
		return nil, err
	}
	raw, err := cluster.ConnectRaw(e, false)
	if err != nil {
		return nil, err
	}
	if err := gatherFacts(ctx, raw, f, pre); err != nil {
		return nil, err
	}
	if pre {
		return checkup.Before(f), nil
	}
	return checkup.After(f), nil
}
