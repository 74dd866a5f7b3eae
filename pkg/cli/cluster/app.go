package cluster

import (
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "gati.dev/gati/api/v1"
)

// Selector is the flags that select handlers: --selector, and --app as the plain form of the
// label of an application.
type Selector struct {
	labels string
	app    application
}

// AddTo adds the flags to a command.
func (s *Selector) AddTo(flags *pflag.FlagSet, what string) {
	flags.StringVarP(&s.labels, "selector", "l", "", "Select "+what+" by label.")
	flags.Var(&s.app, "app", "Select all "+what+" of an application, by the label "+v1.LabelApplication+".")
}

// Text returns the selector of both flags; empty where neither is set.
func (s *Selector) Text() string {
	switch {
	case s.app == "":
		return s.labels
	case s.labels == "":
		return v1.LabelApplication + "=" + string(s.app)
	default:
		return s.labels + "," + v1.LabelApplication + "=" + string(s.app)
	}
}

// application is the value of --app, a pflag.Value.
type application string

func (a *application) Set(name string) error {
	if faults := validation.IsValidLabelValue(name); name == "" || len(faults) > 0 {
		return fmt.Errorf("%q is no name of an application: %s", name, append(faults, "it is the value of a label")[0])
	}
	*a = application(name)
	return nil
}

func (a *application) String() string { return string(*a) }

func (*application) Type() string { return "string" }
