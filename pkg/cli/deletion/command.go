package deletion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/status"
)

const long = `Deletes a module with its Deployment, Service and NetworkPolicy, after showing the
handlers that use it. Their calls to it fail from then on.

On a terminal it asks first. Elsewhere a module that is in use is deleted with --yes
only.`

// options are the command's flags.
type options struct {
	env     *env.Env
	confirm ask.Confirmation
}

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e}
	cmd := &cobra.Command{
		Use:        "delete gm/NAME",
		SuggestFor: []string{"remove", "rm"},
		Short:      "Delete a module, after showing the handlers that use it",
		Long:       long,
		Example: `  kubectl gati delete gm/db
  kubectl gati delete gm/db --yes`,
		Args:              env.Usage(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.confirm.AddTo(cmd)
	return cmd
}

func (o *options) run(ctx context.Context, name string) error {
	ref, err := cluster.ParseRef(name)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	namespace, err := o.env.Namespace()
	if err != nil {
		return err
	}
	if ref.Kind == status.KindHandler {
		return exit.Usagef("gh/%s is a handler; delete it with %s", ref.Name, remedy.DeleteObject.For(ref.Name+" -n "+namespace))
	}
	c, err := cluster.Connect(o.env)
	if err != nil {
		return err
	}
	m, users, err := o.readModule(ctx, c, namespace, ref.Name)
	if err != nil {
		return err
	}
	if err := o.confirmDeletion(m.Name, users); err != nil {
		return err
	}
	bounded, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	// A new module with the same name was not shown to the user.
	if err := c.Delete(bounded, m, client.Preconditions{UID: &m.UID}); err != nil {
		return cluster.Explain(err)
	}
	fmt.Fprintln(o.env.Streams.Out, output.Line("gm/"+m.Name+" deleted"))
	return nil
}

// readModule returns the module, and the handlers that name it.
func (o *options) readModule(ctx context.Context, c client.Reader, namespace, name string) (*v1.GatiModule, []string, error) {
	bounded, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	m := &v1.GatiModule{}
	if err := c.Get(bounded, client.ObjectKey{Namespace: namespace, Name: name}, m); err != nil {
		return nil, nil, cluster.Explain(err)
	}
	handlers, err := cluster.Handlers(bounded, c, namespace, "")
	if err != nil {
		return nil, nil, err
	}
	var users []string
	for i := range handlers {
		if h := &handlers[i]; h.DeletionTimestamp == nil && slices.Contains(h.Spec.Modules, v1.ObjectName(name)) {
			users = append(users, "gh/"+h.Name)
		}
	}
	slices.Sort(users)
	return m, users, nil
}

// confirmDeletion prompts with the handlers that use the module.
func (o *options) confirmDeletion(name string, users []string) error {
	what := "gm/" + name + " is used by no handler."
	if len(users) > 0 {
		what = "gm/" + name + " is used by " + strings.Join(users, ", ") + "; their calls to it will fail."
	}
	return o.confirm.Ask(o.env, output.Line(what))
}
