package status

import (
	"cmp"
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

// options are the command's flags and the values computed from them.
type options struct {
	env      *env.Env
	format   *output.Format
	color    output.ColorFlag
	all      bool
	selector cluster.Selector
	watch    bool
	until    string
	exitOn   string
	ascii    bool
	timeout  time.Duration
	// plain writes lines on a terminal, too.
	plain bool
	// handlers reads a bare name as that of a handler.
	handlers bool
	backends Backends

	// began is when the command did, by the clock that deadlines have.
	began   time.Time
	scope   cluster.Scope
	goal    model.Goal
	printer printers.ResourcePrinter
	painter output.Painter
	client  client.WithWatch
}

func newOptions(e *env.Env, backends Backends) *options {
	return &options{env: e, backends: backends, format: output.NewFormat("wide")}
}

// complete validates the flags and arguments and computes the rest. It sends nothing to
// the server.
func (o *options) complete(args []string) (err error) {
	if o.scope, err = o.checkFlags(args); err != nil {
		return err
	}
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.painter, err = o.color.Painter(o.env.Streams.Out); err != nil {
		return err
	}
	if !o.all {
		if o.scope.Namespace, err = o.env.Namespace(); err != nil {
			return err
		}
	}
	o.client, err = cluster.Connect(o.env)
	return err
}

// checkFlags validates the flags and arguments.
func (o *options) checkFlags(args []string) (cluster.Scope, error) {
	refs, err := cluster.ParseRefs(args)
	scope := cluster.Scope{Refs: refs, Selector: o.selector.Text()}
	if err != nil {
		return scope, exit.With(exit.Usage, err)
	}
	for i := range scope.Refs {
		if o.handlers && scope.Refs[i].Kind == "" {
			scope.Refs[i].Kind = model.KindHandler
		}
	}
	if err := o.checkGoal(); err != nil {
		return scope, err
	}
	switch {
	case len(args) > 0 && o.all:
		return scope, exit.Usagef("a name and --all-namespaces cannot be used together: names belong to a namespace")
	case len(args) > 0 && o.selector.Text() != "":
		return scope, exit.Usagef("a name cannot be used together with --selector or --app")
	case o.watch && !o.format.Text() && !o.isNDJSON():
		return scope, exit.Usagef("--watch and -o %s cannot be used together; -o json writes one document a line", o.format.Name())
	case o.timeout != 0 && !o.isFollowing():
		return scope, exit.Usagef("--timeout is for --watch and --for; to limit a single request use --request-timeout")
	}
	return scope, nil
}

// checkGoal parses the goal. Without a live view, --exit-on is --for.
func (o *options) checkGoal() (err error) {
	switch {
	case o.until != "" && o.exitOn != "":
		return exit.Usagef("--for and --exit-on cannot be used together: --for writes lines, --exit-on ends a live view")
	case o.exitOn != "" && !o.watch:
		return exit.Usagef("--exit-on is for --watch; to wait without a view use --for")
	case o.exitOn != "" && !o.isInteractive():
		o.until = o.exitOn
	}
	flag := "--for"
	if o.exitOn != "" {
		flag = "--exit-on"
	}
	if text := cmp.Or(o.until, o.exitOn); text != "" {
		if o.goal, err = model.ParseGoal(text); err != nil {
			return exit.Usagef("%s %v", flag, err)
		}
	}
	return nil
}

// isFollowing reports whether the command continues after the first read.
func (o *options) isFollowing() bool { return o.watch || o.until != "" }

// hasNames reports whether the user has named objects.
func (o *options) hasNames() bool { return len(o.scope.Refs) > 0 }

func (o *options) run(ctx context.Context) error {
	o.began = time.Now()
	if o.isInteractive() {
		return o.runLive(ctx)
	}
	objs, err := o.readObjects(ctx)
	if err != nil && len(objs.Handlers)+len(objs.Modules) == 0 {
		return err
	}
	s := model.Build(objs, o.env.Now())
	if err == nil && o.isFollowing() {
		return o.followChanges(ctx, objs, s)
	}
	if err := o.printSnapshot(s); err != nil {
		return err
	}
	if err != nil { // some of the named objects do not exist
		return err
	}
	return o.healthError(s)
}

// readObjects asks the server once.
func (o *options) readObjects(ctx context.Context) (objs model.Objects, err error) {
	err = o.readWithin(ctx, func(ctx context.Context) error {
		objs, err = cluster.Read(ctx, o.client, o.scope)
		return err
	})
	return objs, err
}

// healthError returns the exit code of the worst health of the named objects.
func (o *options) healthError(s model.Snapshot) error {
	if !o.hasNames() {
		return nil
	}
	code := exit.OK
	for _, item := range s.Items() {
		switch item.Health {
		case model.Healthy:
		case model.Paused:
			code = max(code, exit.Paused)
		default:
			return exit.Silent(exit.Unhealthy)
		}
	}
	if code != exit.OK {
		return exit.Silent(code)
	}
	return nil
}
