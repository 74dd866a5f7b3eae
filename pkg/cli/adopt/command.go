// Package adopt is the command "kubectl gati adopt": it prints the GatiHandler that leads to
// the pods of a workload, and what the handler does not take over.
//
// It must not talk to a cluster. pkg/adopt decides what the handler is.
package adopt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/pkg/adopt"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
)

const long = `Prints the GatiHandler that leads to the same pods as a Deployment in files: image,
command, variables, health check, resources, volumes and scheduling, the bounds of its
HorizontalPodAutoscaler, and the path of its HTTPRoute or Ingress. It changes nothing and
needs no cluster.

Services, autoscalers, disruption budgets and routes that belong to the Deployment are
found in the same files. Objects of other kinds are ignored.

The handler is printed as YAML. What it does not take over, and what its pods have in
addition, is listed beside it, each with the reason and the next step. No field is left
out of both. If gati-webhook would refuse the handler, the errors are printed as well and
the exit code is 3.`

const examples = `  # Write the handler of a Deployment that a chart renders
  helm template shop ./chart | kubectl gati adopt deployment/shop-web -f - > web.yaml

  # The same from the cluster
  kubectl get deployment,service,hpa,pdb,ingress -o yaml | kubectl gati adopt deployment/web -f -

  # Give it a route on a Gateway, where an Ingress names the path
  kubectl gati adopt deployment/web -f web.yaml --gateway gateways/public`

type options struct {
	adopt.Options
	env     *env.Env
	files   manifest.Files
	gateway string
}

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	o := &options{env: e}
	cmd := &cobra.Command{
		Use:               "adopt deployment/NAME -f FILE",
		Short:             "Print the handler that leads to a Deployment's pods",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.files.AddTo(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.Name, "name", "", "Name of the handler. That of the Deployment when absent.")
	flags.StringVar(&o.Path, "path", "", "Path of the handler. That of the route, else every path, when absent.")
	flags.Int32Var(&o.Port, "port", 0, "Port that the program listens on. That of the Service or the container when absent.")
	flags.StringVar(&o.Service, "service", "", "Service that the port is taken from, where several select the pods.")
	flags.StringVar(&o.gateway, "gateway", "", "Gateway of the route where an Ingress names the path, as NAME or NAMESPACE/NAME.")
	return cmd
}

func (o *options) run(arg string) error {
	kind, name, found := strings.Cut(arg, "/")
	if !found || name == "" {
		return exit.Usagef("%q names no workload; write deployment/NAME", arg)
	}
	if err := o.files.Check(); err != nil {
		return err
	}
	if namespace, name, found := strings.Cut(o.gateway, "/"); found {
		o.GatewayNamespace, o.Gateway = namespace, name
	} else {
		o.Gateway = o.gateway
	}
	source, err := o.readSource(kind, name)
	if err != nil {
		return err
	}
	adopted, err := adopt.Translate(source, o.Options)
	if err != nil {
		return err
	}
	return o.print(adopted)
}

// readSource finds the workload and the other objects of its namespace in the files.
func (o *options) readSource(kind, name string) (adopt.Source, error) {
	if !isDeployment(kind) {
		return adopt.Source{}, exit.Usagef("%s/%s cannot be adopted; a %s can", kind, name, adopt.Kind)
	}
	set, err := o.files.Read(o.env.Streams.In)
	if err = errors.Join(append(set.Broken, err)...); err != nil {
		return adopt.Source{}, err
	}
	source, found := adopt.Source{}, 0
	for i := range set.Documents {
		doc := &set.Documents[i]
		var u unstructured.Unstructured
		if doc.Kind.Empty() {
			return adopt.Source{}, fmt.Errorf("%s: %w", manifest.Place(doc), doc.Err)
		}
		if err := u.UnmarshalJSON(doc.Content); err != nil {
			return adopt.Source{}, fmt.Errorf("%s: %w", manifest.Place(doc), err)
		}
		isHere := o.env.GivenNamespace() == "" || u.GetNamespace() == "" || u.GetNamespace() == o.env.GivenNamespace()
		if u.GetKind() == adopt.Kind && u.GetName() == name && isHere {
			source.Workload = u
			found++
		} else {
			source.Others = append(source.Others, u)
		}
	}
	switch {
	case found == 0:
		return source, fmt.Errorf("no %s %s found in %s", adopt.Kind, name, &o.files)
	case found > 1:
		return source, exit.Usagef("%d Deployments %s in %s; choose a namespace with -n", found, name, &o.files)
	}
	source.Others = slices.DeleteFunc(source.Others, func(u unstructured.Unstructured) bool {
		return u.GetNamespace() != source.Workload.GetNamespace()
	})
	return source, nil
}

// isDeployment reports whether a word names Deployments, as kubectl takes it.
func isDeployment(word string) bool {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	return slices.Contains([]string{"deployment", "deployments", "deploy"}, word)
}
