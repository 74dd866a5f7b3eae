package rollout

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout/replay"
)

const replayLong = `Decides again on the last rollout of a handler that has ended or failed, from what the
controller was given, and prints each decision with its evidence. The code that decides
is this plugin's copy of the controller's.

A decision that comes out otherwise is printed with both values, and the exit code is 3.
Within one release that is a defect; between two releases a rule may have changed.

The record is in the ConfigMap handler-NAME-replay, which the controller writes when a
rollout ends. With -f it is read from a file, without a cluster.`

// replayer are the flags of "replay".
type replayer struct {
	env    *env.Env
	file   string
	format *output.Format
}

func newReplay(e *env.Env) *cobra.Command {
	o := &replayer{env: e, format: output.NewFormat()}
	cmd := &cobra.Command{
		Use:   "replay NAME",
		Short: "Decide again on the last rollout, and show each decision",
		Long:  replayLong,
		Example: `  # What was the last rollout decided by?
  kubectl gati rollout replay users

  # The same without the cluster
  kubectl get configmap handler-users-replay -o yaml > users-replay.yaml
  kubectl gati rollout replay -f users-replay.yaml`,
		Args:              env.Usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, names []string) error { return o.run(cmd.Context(), names) },
	}
	cmd.Flags().StringVarP(&o.file, "filename", "f", "", "A file with the ConfigMap of the record, or - for standard input.")
	o.format.AddTo(cmd)
	return cmd
}

func (o *replayer) run(ctx context.Context, names []string) error {
	if (len(names) == 1) == (o.file != "") {
		return exit.Usagef("name a handler, or a file with -f")
	}
	if _, err := o.format.Printer(); err != nil {
		return err
	}
	record, err := o.readRecord(ctx, names)
	if err != nil {
		return err
	}
	entries, err := replay.Read(record.BinaryData[replay.Key])
	if err != nil {
		return fmt.Errorf("ConfigMap %s: %w", record.Name, err)
	}
	out, err := newReplayDocument(entries)
	if err != nil {
		return err
	}
	out.Namespace = record.Namespace
	printed, err := printDocument(o.env, o.format, out)
	if !printed && err == nil {
		err = out.print(o.env)
	}
	return cmp.Or(err, out.judge(o.env.Version))
}

// readRecord returns the ConfigMap with the record.
func (o *replayer) readRecord(ctx context.Context, names []string) (corev1.ConfigMap, error) {
	if o.file == "" {
		return o.fetchRecord(ctx, names[0])
	}
	var out corev1.ConfigMap
	err := manifest.Of(o.file).Each(o.env.Streams.In, func(source string, r io.Reader) error {
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := yaml.Unmarshal(text, &out); err != nil || out.Kind != "ConfigMap" || out.BinaryData[replay.Key] == nil {
			return fmt.Errorf("%s is no ConfigMap with the key %s; name a file with the ConfigMap handler-NAME-replay", source, replay.Key)
		}
		return nil
	})
	return out, err
}

func (o *replayer) fetchRecord(ctx context.Context, handler string) (out corev1.ConfigMap, err error) {
	name, err := ask.HandlerName(handler)
	if err != nil {
		return out, err
	}
	namespace, err := o.env.Namespace()
	if err != nil {
		return out, err
	}
	c, err := cluster.Connect(o.env)
	if err != nil {
		return out, err
	}
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	h, err := cluster.Handler(ctx, c, namespace, name)
	if err != nil {
		return out, err
	}
	err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: naming.ReplayName(name)}, &out)
	switch {
	case apierrors.IsNotFound(err):
		return out, fmt.Errorf("no rollout of gh/%s is recorded: a record is written when a rollout ends", name)
	case err != nil:
		return out, cluster.Explain(err)
	case !metav1.IsControlledBy(&out, h):
		return out, fmt.Errorf("ConfigMap %s is not a record of gh/%s: it has another owner", out.Name, name)
	}
	return out, nil
}
