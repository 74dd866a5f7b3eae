package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

// answerWithin is the default time to wait for the controller.
const answerWithin = 30 * time.Second

// Options are the flags of a command that makes requests.
type Options struct {
	env      *env.Env
	format   *output.Format
	dryRun   bool
	reason   Reason
	selector cluster.Selector
	confirm  Confirmation
	timeout  time.Duration
	flags    *pflag.FlagSet
	// awaitsContract reports whether an answer is awaited until the contract has moved.
	awaitsContract bool

	namespace string
	printer   printers.ResourcePrinter
	client    client.Client
}

// NewOptions adds the flags to a command.
func NewOptions(e *env.Env, cmd *cobra.Command) *Options {
	flags := cmd.Flags()
	o := &Options{env: e, format: output.NewFormat(), flags: flags}
	AddDryRun(cmd, &o.dryRun, "Have the server validate the request; change nothing.")
	o.reason.AddTo(cmd, "the history")
	flags.DurationVar(&o.timeout, "timeout", answerWithin, "Time to wait for gati-webhook to handle the request.")
	o.confirm.AddTo(cmd)
	o.format.AddTo(cmd)
	return o
}

// AddSelector adds the flags that select handlers by label.
func (o *Options) AddSelector(cmd *cobra.Command) {
	o.selector.AddTo(cmd.Flags(), "handlers")
}

// Run makes a request of handlers, each by NAME or gh/NAME, or of those selected. All
// requests are sent before the first answer is awaited, and an error of one does not
// hide the answers of the others.
func (o *Options) Run(ctx context.Context, handlers []string, r request.Request) error {
	if err := o.checkArguments(handlers, r); err != nil {
		return err
	}
	if err := o.complete(); err != nil {
		return err
	}
	began := time.Now()
	reading, cancel := o.withTimeout(ctx, o.timeout)
	defer cancel()
	answers, err := o.prepareAll(reading, handlers, r)
	if err != nil && len(answers) == 0 {
		return err
	}
	left := o.timeout - time.Since(began) // The time of the prompt does not count.
	if !o.dryRun && needsConfirmation(r) {
		if err := o.confirm.Ask(o.env, confirmationText(answers)); err != nil {
			return err
		}
	}
	waiting, stop := o.withTimeout(ctx, left)
	defer stop()
	bounded, free := cluster.Bounded(waiting, o.env)
	defer free()
	for _, a := range answers {
		o.sendRequest(bounded, a)
	}
	faults := []error{err}
	for _, a := range answers {
		o.receiveOutcome(ctx, waiting, a)
		faults = append(faults, a.outcomeError())
	}
	if err := o.printAnswers(answers); err != nil {
		return err
	}
	return joinErrors(faults)
}

// withTimeout applies the rest of --timeout. With --timeout=0 the request is made without
// waiting.
func (o *Options) withTimeout(ctx context.Context, left time.Duration) (context.Context, context.CancelFunc) {
	if o.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, left)
}

// joinErrors returns the only error, which keeps its exit code, or all joined.
func joinErrors(errs []error) error {
	var all []error
	for _, err := range errs {
		if err != nil {
			all = append(all, err)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// prepareAll reads the handlers and predicts the effect on each. With an error it
// returns those that were found.
func (o *Options) prepareAll(ctx context.Context, handlers []string, r request.Request) ([]*asked, error) {
	bounded, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	found, err := o.readHandlers(bounded, handlers)
	if len(found) == 0 {
		return nil, err
	}
	by, whoErr := cluster.WhoAmI(bounded, o.client)
	if whoErr != nil {
		return nil, whoErr
	}
	records := o.readRecords(bounded)
	answers := make([]*asked, len(found))
	for i := range found {
		answers[i] = o.predictEffect(&found[i], records, by, r)
	}
	return answers, err
}

// readRecords reads the version records of the namespace. Without the right to them the
// effect is predicted by the handler alone; the controller decides anyway.
func (o *Options) readRecords(ctx context.Context) []v1.GatiVersion {
	var list v1.GatiVersionList
	if err := o.client.List(ctx, &list, client.InNamespace(o.namespace), client.HasLabels{v1.LabelHandler}); err != nil {
		return nil
	}
	return list.Items
}

// readHandlers reads the handlers that are named or selected.
func (o *Options) readHandlers(ctx context.Context, handlers []string) ([]v1.GatiHandler, error) {
	if selector := o.selector.Text(); selector != "" {
		found, err := cluster.Handlers(ctx, o.client, o.namespace, selector)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("no handler in namespace %s matches the selector %s", o.namespace, selector)
		}
		return found, err
	}
	var found []v1.GatiHandler
	var errs []error
	for _, text := range handlers {
		name, err := HandlerName(text)
		if err != nil {
			return nil, err
		}
		h, err := cluster.Handler(ctx, o.client, o.namespace, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found = append(found, *h)
	}
	return found, joinErrors(errs)
}

// checkArguments validates the arguments before anything is sent.
func (o *Options) checkArguments(handlers []string, r request.Request) error {
	switch {
	case len(handlers) > 0 && o.selector.Text() != "":
		return exit.Usagef("a name cannot be used together with --selector or --app")
	case len(handlers) == 0 && o.selector.Text() == "":
		return exit.Usagef("name a handler, or use --selector or --app")
	}
	if err := o.reason.Check(); err != nil {
		return err
	}
	for _, h := range handlers {
		if _, err := HandlerName(h); err != nil {
			return err
		}
	}
	return exit.With(exit.Usage, r.CheckArgument())
}

// HandlerName reads NAME or gh/NAME.
func HandlerName(text string) (string, error) {
	ref, err := cluster.ParseRef(text)
	if err != nil {
		return "", exit.With(exit.Usage, err)
	}
	if ref.Kind == status.KindModule {
		return "", exit.Usagef("%s is a module; only handlers have versions", text)
	}
	return ref.Name, nil
}

func (o *Options) complete() (err error) {
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.namespace, err = o.env.Namespace(); err != nil {
		return err
	}
	o.client, err = cluster.Connect(o.env)
	return err
}
