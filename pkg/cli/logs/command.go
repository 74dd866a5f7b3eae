package logs

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/status"
)

const long = `Prints the logs of the pods of a handler or module, of all versions. Each line begins
with its version and pod, and with the container where the pod has several. --version
selects one version by its name or a tag, -c one container.

Control characters are escaped, since a terminal would obey them. --raw prints the logs
as they are, as kubectl logs does.

-f follows the logs until it is interrupted, including new pods and restarted
containers. Without it the pods are printed one after another, by version.`

// options are the command's flags.
type options struct {
	env        *env.Env
	color      output.ColorFlag
	version    string
	container  string
	follow     bool
	previous   bool
	timestamps bool
	raw        bool
	tail       int64
	since      time.Duration

	painter   output.Painter
	namespace string
	client    client.WithWatch
	source    cluster.LogSource
}

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e}
	cmd := &cobra.Command{
		Use:        "logs NAME | gh/NAME | gm/NAME",
		SuggestFor: []string{"log", "tail"},
		Short:      "Print the logs of all versions, each line with its version",
		Long:       long,
		Example: `  kubectl gati logs users
  kubectl gati logs users -f --version v2.0.0
  kubectl gati logs users -c proxy
  kubectl gati logs users --previous --tail 20`,
		Args:              env.Usage(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.runLogs(cmd.Context(), args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.version, "version", "", "Select one version by its name or a tag.")
	flags.StringVarP(&o.container, "container", "c", "", "Print the logs of this container alone, such as a sidecar; all when empty.")
	flags.BoolVarP(&o.follow, "follow", "f", false, "Follow the logs until interrupted.")
	flags.BoolVarP(&o.previous, "previous", "p", false, "Print the logs of the container before its last restart.")
	flags.BoolVar(&o.timestamps, "timestamps", false, "Begin each line with a timestamp.")
	flags.BoolVar(&o.raw, "raw", false, "Print the logs as they are, with control characters such as colours and tabs.")
	flags.Int64Var(&o.tail, "tail", 100, "Number of most recent lines to print for each pod; -1 for all.")
	flags.DurationVar(&o.since, "since", 0, "Print only lines newer than this duration, such as 5m.")
	o.color.AddTo(cmd)
	return cmd
}

func (o *options) runLogs(ctx context.Context, name string) (err error) {
	ref, err := cluster.ParseRef(name)
	switch {
	case err != nil:
		return exit.With(exit.Usage, err)
	case o.follow && o.previous:
		return exit.Usagef("--follow and --previous cannot be combined: a container that has ended writes no more")
	}
	if o.painter, err = o.color.Painter(o.env.Streams.Out); err != nil {
		return err
	}
	if o.namespace, err = o.env.Namespace(); err != nil {
		return err
	}
	if o.client, err = cluster.Connect(o.env); err != nil {
		return err
	}
	if o.source, err = cluster.Logs(o.env); err != nil {
		return err
	}
	objs, err := o.readObjects(ctx, ref)
	if err != nil {
		return err
	}
	versions, err := o.selectVersions(objs)
	if err != nil {
		return err
	}
	t := newTail(o, versions)
	if o.follow {
		return t.followPods(ctx, cluster.Scope{Refs: []cluster.Ref{ref}}.Resolved(objs).Refs[0])
	}
	return t.printAll(ctx, objs.Pods)
}

func (o *options) readObjects(ctx context.Context, ref cluster.Ref) (status.Objects, error) {
	bounded, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	objs, err := cluster.Named(bounded, o.client, o.namespace, ref)
	if err != nil {
		return objs, err
	}
	for _, u := range objs.Unread {
		if u.Resource == status.ResourcePods {
			return objs, fmt.Errorf("the pods could not be read: %s", u.Reason)
		}
	}
	return objs, nil
}

// selectVersions names the version of each workload that is to be shown. A module has one,
// without a name.
func (o *options) selectVersions(objs status.Objects) (map[string]string, error) {
	if len(objs.Handlers) == 0 {
		return nil, nil
	}
	h := &status.Build(objs, o.env.Now()).Handlers[0]
	out := map[string]string{}
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Workload != "" && (o.version == "" || v.HasName(o.version)) {
			out[v.Workload] = v.Version
		}
	}
	if len(out) == 0 && o.version != "" {
		return nil, fmt.Errorf("gh/%s has no pods of %q; see %s", h.Name, o.version, remedy.ListVersions.For(h.Name+" -n "+h.Namespace))
	}
	return out, nil
}
