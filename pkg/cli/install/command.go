package install

import (
	"context"
	"fmt"
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

const long = `The manifests are built into this plugin; only the cluster has to be reachable. A
server-side dry run shows first what would change. On a terminal you are asked to
confirm.

Objects are written by server-side apply, as the field manager kubectl-gati-install.
Fields of other managers are a conflict, unless --force-conflicts takes them over, such
as after kubectl apply -f install.yaml.

The command then waits until kubectl gati doctor finds no problem with the installation.
If that takes longer than --timeout, the exit code is 5.

--export prints the manifests and contacts no cluster. --dry-run prints only the plan.`

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
		Long:  "Installs Gati. Objects that exist already stay as they are; use upgrade to change them.\n\n" + long,
		Example: `  kubectl gati doctor --pre && kubectl gati install
  kubectl gati install --dry-run
  kubectl gati install --export | kubectl diff -f -`,
	}
	if upgrade {
		cmd.SuggestFor = []string{"update"}
		cmd.Use, cmd.Short = "upgrade", "Upgrade the installed Gati to this plugin's version"
		cmd.Long = "Upgrades the installed Gati to this plugin's version, and restores objects that were changed\nor deleted. No pod of a handler is replaced.\n\n" + long
		cmd.Example = "  kubectl krew upgrade gati && kubectl gati upgrade"
	}
	o.addCommonFlags(cmd, func(ctx context.Context) error { return o.runInstall(ctx) })
	flags := cmd.Flags()
	flags.StringVar(&o.url, "webhook-url", "", "Address at which the API server reaches a gati-webhook outside the cluster, such as https://10.0.0.1:9443. No gati-webhook is installed then.")
	flags.StringVar(&o.image, "image", "", "Image of gati-webhook, which gati-controller runs too, for example from a private registry.")
	flags.BoolVar(&o.force, "force-conflicts", false, "Take over fields of other managers.")
	return cmd
}

// addCommonFlags adds the flags that the three commands share.
func (o *options) addCommonFlags(cmd *cobra.Command, run func(context.Context) error) {
	cmd.Args, cmd.ValidArgsFunction = env.Usage(cobra.NoArgs), cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) }
	flags := cmd.Flags()
	flags.BoolVar(&o.export, "export", false, "Print the manifests and change nothing.")
	ask.AddDryRun(cmd, &o.dryRun, "Print the plan and change nothing.")
	flags.BoolVar(&o.wait, "wait", true, "Wait until the change is complete.")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "How long to wait.")
	o.confirm.AddTo(cmd)
}

// bundledObjects returns the objects of an installation.
func (o *options) bundledObjects() ([]*unstructured.Unstructured, error) {
	if o.url != "" && o.image != "" {
		return nil, fmt.Errorf("--image %s cannot be combined with --webhook-url: gati-webhook then runs outside the cluster", o.image)
	}
	objects, err := bundle.Objects(o.url)
	if err == nil && o.image != "" {
		err = bundle.SetImage(objects, o.image)
	}
	return objects, err
}

// placeFlags are the given flags that decide where gati-webhook runs, and from which image.
func (o *options) placeFlags() string {
	flags := ""
	if o.url != "" {
		flags += " --webhook-url " + o.url
	}
	if o.image != "" {
		flags += " --image " + o.image
	}
	return flags
}
