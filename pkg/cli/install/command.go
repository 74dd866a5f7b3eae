package install

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/manifests/bundle"
	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
)

// manager owns the fields that the plugin installs. It never owns a caBundle.
const manager = "kubectl-gati-install"

const long = `The manifests are those that this plugin was built with; no network but the cluster's is
needed. Before anything is done, what would be is shown: it is the server that says so,
by a dry run. On a terminal it has to be confirmed.

Objects are written by server-side apply, as the field manager kubectl-gati-install.
Fields that others manage are a conflict, until --force-conflicts takes them over, such
as after kubectl apply -f install.yaml.

Then it waits until kubectl gati doctor finds nothing wrong with the installation, or
ends with exit code 5.

--export writes the manifests, and asks no cluster. --dry-run shows the plan alone.`

// options are the flags of the three commands.
type options struct {
	env     *env.Env
	confirm ask.Confirmation
	upgrade bool

	url     string
	image   string
	export  bool
	dryRun  bool
	force   bool
	wait    bool
	all     bool
	timeout time.Duration

	raw *cluster.Raw
}

// NewCommands returns the commands.
func NewCommands(e *env.Env) []*cobra.Command {
	return []*cobra.Command{newInstall(e, false), newInstall(e, true), newUninstall(e)}
}

func newInstall(e *env.Env, upgrade bool) *cobra.Command {
	o := &options{env: e, upgrade: upgrade}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install Gati on the cluster",
		Long:  "Installs Gati: what is there already stays as it is, and what differs is left to upgrade.\n\n" + long,
		Example: `  kubectl gati doctor --pre && kubectl gati install
  kubectl gati install --dry-run
  kubectl gati install --export | kubectl diff -f -`,
	}
	if upgrade {
		cmd.Use, cmd.Short = "upgrade", "Make what is installed that of this plugin"
		cmd.Long = "Makes what is installed that of this plugin, and puts back what was changed or is gone.\nNo pod of a handler is replaced.\n\n" + long
		cmd.Example = "  kubectl krew upgrade gati && kubectl gati upgrade"
	}
	o.common(cmd, func(ctx context.Context) error { return o.install(ctx) })
	flags := cmd.Flags()
	flags.StringVar(&o.url, "webhook-url", "", "Where the API server reaches a gati-webhook outside the cluster, such as https://10.0.0.1:9443. None runs inside then.")
	flags.StringVar(&o.image, "image", "", "The image of gati-webhook, such as that of a registry of your own.")
	flags.BoolVar(&o.force, "force-conflicts", false, "Take over fields that others manage.")
	return cmd
}

// common adds what the three commands have alike.
func (o *options) common(cmd *cobra.Command, run func(context.Context) error) {
	cmd.Args, cmd.ValidArgsFunction = env.Usage(cobra.NoArgs), cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) }
	flags := cmd.Flags()
	flags.BoolVar(&o.export, "export", false, "Write the manifests to the standard output, and do nothing.")
	flags.BoolVar(&o.dryRun, "dry-run", false, "Show what would be done, and do nothing.")
	flags.BoolVar(&o.wait, "wait", true, "Wait until it is done.")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "How long to wait.")
	o.confirm.AddTo(cmd)
}

// objects are what an installation consists of.
func (o *options) objects() ([]*unstructured.Unstructured, error) {
	objects, err := bundle.Objects(o.url)
	if err == nil && o.image != "" {
		err = setImage(objects, o.image)
	}
	return objects, err
}
