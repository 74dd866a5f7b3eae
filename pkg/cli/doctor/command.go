package doctor

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/printers"

	"gati.dev/gati/pkg/cli/ask"
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

--fix runs the commands of the remedies, where these alone solve the problem, and checks
again. It shows them first. Without it, nothing is written.

Check ids are stable. The exit code is 3 if a check finds a problem; notes, and objects
that you may not read, leave it at 0.

-o short prints only problems and notes, one line each. With -o json and the like, the
output is one object of the kind Checkup, cli.gati.dev/v1.`

const examples = `  kubectl gati doctor --pre
  kubectl gati doctor -n shop
  kubectl gati doctor --all-namespaces --fix
  kubectl gati doctor -o jsonpath='{.findings[?(@.level=="problem")].check}'`

// short is the command's own format.
const short = "short"

type options struct {
	env           *env.Env
	format        *output.Format
	color         output.ColorFlag
	confirm       ask.Confirmation
	pre, all, fix bool

	printer printers.ResourcePrinter
	painter output.Painter
}

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e, format: output.NewFormat(short)}
	cmd := &cobra.Command{
		Use:               "doctor",
		SuggestFor:        []string{"check", "debug"},
		Short:             "Check the Gati installation and suggest remedies",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.pre, "pre", false, "Check whether Gati can be installed on the cluster.")
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "Check the handlers of all namespaces.")
	flags.BoolVar(&o.fix, "fix", false, "Run the commands that solve the problems.")
	o.confirm.AddTo(cmd)
	o.format.AddTo(cmd)
	o.color.AddTo(cmd)
	return cmd
}

func (o *options) run(cmd *cobra.Command) (err error) {
	ctx := cmd.Context()
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.painter, err = o.color.Painter(o.env.Streams.Out); err != nil {
		return err
	}
	namespace := ""
	if !o.pre && !o.all {
		if namespace, err = o.env.Namespace(); err != nil {
			return err
		}
	}
	found, err := examine(ctx, o.env, o.pre, namespace)
	if err == nil && o.fix {
		found, err = o.fixProblems(ctx, found, namespace, connectionFlags(cmd))
	}
	if err != nil {
		return err
	}
	r := newReport(found, namespace)
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
	namespace, err := e.Namespace()
	if err != nil {
		return nil, err
	}
	return examine(ctx, e, pre, namespace)
}

// examine judges the handlers of a namespace, or of all.
func examine(ctx context.Context, e *env.Env, pre bool, namespace string) ([]checkup.Finding, error) {
	ctx, cancel := cluster.Bounded(ctx, e)
	defer cancel()
	f := &checkup.Facts{Now: e.Now(), Plugin: e.Version, Namespace: namespace}
	var err error
	if f.TrialNamespace, err = e.Namespace(); err != nil {
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
