package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/helm"
	"gati.dev/gati/pkg/target/kubernetes"
)

// knownTargets are the values of target.
var knownTargets = []string{v1.TargetKubernetes, v1.TargetHelm, v1.TargetGitOps}

// addTargetFlags adds the flags that decide where children go.
func (c *config) addTargetFlags(f *pflag.FlagSet, getenv func(string) string) {
	f.StringVar(&c.Target, "target", firstNonEmpty(getenv("DEPLOYMENT_TARGET"), v1.TargetKubernetes), "where the children of handlers and modules go: "+strings.Join(knownTargets, ", ")+"; the default is DEPLOYMENT_TARGET, else kubernetes")
	f.StringSliceVar(&c.AllowedTargets, "allowed-targets", nil, "further targets that a namespace, handler or module may choose by its annotation "+v1.AnnotationTarget)
	c.Git.addFlags(f)
}

func (c *config) targetFacts() facts.Targets {
	return facts.Targets{Default: c.Target, Allowed: c.AllowedTargets}
}

// validateTargets refuses targets that do not exist.
func (c *config) validateTargets() error {
	for _, name := range c.targetFacts().Names() {
		if !slices.Contains(knownTargets, name) {
			return fmt.Errorf("target %q: want one of %s", name, strings.Join(knownTargets, ", "))
		}
	}
	if c.allowsTarget(v1.TargetGitOps) {
		return c.Git.validate()
	}
	return nil
}

// allowsTarget reports whether children may go to a target.
func (c *config) allowsTarget(target string) bool {
	return slices.Contains(c.targetFacts().Names(), target)
}

// newTargets returns the targets that the operator allows.
func newTargets(mgr ctrl.Manager, d dependencies, cached client.Client, f *observe.Facts) (target.Set, error) {
	objects := kubernetes.New(cached, mgr.GetAPIReader(), d.clock, func() []client.ObjectList { return removableKinds(f) })
	out := target.Set{}
	for _, name := range d.config.targetFacts().Names() {
		var chosen target.Target = objects
		var err error
		switch name {
		case v1.TargetHelm:
			chosen, err = helm.New(objects, mgr.GetConfig(), d.clock)
		case v1.TargetGitOps:
			chosen, err = newGitOps(mgr, d, cached, f)
		}
		if err != nil {
			return nil, err
		}
		out[name] = chosen
	}
	return out, nil
}
