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

const long = `Looks at the cluster and says what is wrong with Gati there, and what to do about it:
the API server, the CRDs and what they store, hooks, policies, certificates, a handler
created as a dry run in both API versions, your rights, and what the handlers of the
namespace need: gateways, metrics, Prometheus.

--pre looks at a cluster that Gati is to be installed on.

Each check has an id that does not change. The exit code is 3 when a check has found a
problem; notes, and what may not be read, leave it at 0. Nothing is written.

-o short shows problems and notes alone, a line each. With -o json and the like, the
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
		Short:             "Say what is wrong with Gati in the cluster, and what to do",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&o.pre, "pre", false, "Look at a cluster that Gati is to be installed on.")
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

func (o *options) run(ctx context.Context) (err error) {
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
	if err := o.print(r); err != nil {
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
	if f.Shipped, err = shipped(); err != nil {
		return nil, err
	}
	raw, err := cluster.ConnectRaw(e, false)
	if err != nil {
		return nil, err
	}
	if err := gather(ctx, raw, f, pre); err != nil {
		return nil, err
	}
	if pre {
		return checkup.Before(f), nil
	}
	return checkup.After(f), nil
}
