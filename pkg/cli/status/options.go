package status

import (
	"context"
	"time"

	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// options are the command's flags and what follows from them.
type options struct {
	env      *env.Env
	format   *output.Format
	color    output.ColorFlag
	all      bool
	selector string
	watch    bool
	timeout  time.Duration

	named     bool
	ref       cluster.Ref
	namespace string
	printer   printers.ResourcePrinter
	painter   output.Painter
	client    client.WithWatch
}

func newOptions(e *env.Env) *options {
	return &options{env: e, format: output.NewFormat("wide")}
}

// complete checks the flags and arguments and works out the rest. It sends
// nothing to the server.
func (o *options) complete(args []string) (err error) {
	if err := o.check(args); err != nil {
		return err
	}
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.painter, err = o.color.Painter(o.env.Streams.Out); err != nil {
		return err
	}
	if !o.all {
		if o.namespace, err = o.env.Namespace(); err != nil {
			return err
		}
	}
	o.client, err = cluster.Connect(o.env)
	return err
}

// check refuses what cannot be meant.
func (o *options) check(args []string) (err error) {
	if o.named = len(args) == 1; o.named {
		if o.ref, err = cluster.ParseRef(args[0]); err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	switch {
	case o.named && o.all:
		return exit.Usagef("a name and --all-namespaces cannot go together: a name is one of a namespace")
	case o.named && o.selector != "":
		return exit.Usagef("a name and --selector cannot go together")
	case o.watch && !o.named:
		return exit.Usagef("--watch needs the name of one handler or module")
	case o.watch && !o.format.Text():
		return exit.Usagef("--watch and -o %s cannot go together", o.format.Name())
	case o.timeout != 0 && !o.watch:
		return exit.Usagef("--timeout is for --watch; to limit a single request use --request-timeout")
	}
	return nil
}

func (o *options) run(ctx context.Context) error {
	if o.watch {
		return o.follow(ctx)
	}
	objs, err := o.read(ctx)
	if err != nil {
		return err
	}
	s := model.Build(objs, o.env.Now())
	if err := o.print(s); err != nil {
		return err
	}
	return o.verdict(s)
}

// read asks the server once.
func (o *options) read(ctx context.Context) (model.Objects, error) {
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	if o.named {
		return cluster.One(ctx, o.client, o.namespace, o.ref)
	}
	return cluster.Namespace(ctx, o.client, o.namespace, o.selector)
}

// verdict ends the command with the health of the object that was named.
func (o *options) verdict(s model.Snapshot) error {
	if !o.named {
		return nil
	}
	for _, item := range s.Items() {
		if item.Health != model.Healthy {
			return exit.Silent(exit.Unhealthy)
		}
	}
	return nil
}
