package version

import (
	"strconv"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/remedy"
	model "gati.dev/gati/pkg/status"
)

// flip is a boolean field of a record.
type flip struct {
	field string
	// read returns it; otherwise is the value of an absent field.
	read      func(*v1.GatiVersion) *bool
	otherwise bool
	// undo is the command that reverts it.
	undo remedy.Remedy
}

func newKeep(e *env.Env) *cobra.Command {
	keep := flip{"keep", func(r *v1.GatiVersion) *bool { return r.Spec.Keep }, false, ""}
	cmd := &cobra.Command{
		Use:     "keep HANDLER VERSION",
		Short:   "Keep a version even without traffic",
		Example: "  kubectl gati version keep users v1.2.0\n  kubectl gati version keep users v1.2.0 --off",
		Args:    env.Usage(cobra.ExactArgs(2)),
	}
	off := cmd.Flags().Bool("off", false, "Stop keeping it.")
	o := newEditor(e, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		keep.undo = remedy.StopKeeping
		if *off {
			keep.undo = remedy.Keep
		}
		return o.run(cmd.Context(), args[0], keep.planSet(args[1], !*off))
	}
	return cmd
}

func newActivate(e *env.Env) *cobra.Command {
	return newActivation(e, "activate", "Return a version to service", remedy.Deactivate, true)
}

func newDeactivate(e *env.Env) *cobra.Command {
	return newActivation(e, "deactivate", "Take a version out of service: it gets no more calls and drains", remedy.Activate, false)
}

func newActivation(e *env.Env, verb, short string, undo remedy.Remedy, on bool) *cobra.Command {
	active := flip{"active", func(r *v1.GatiVersion) *bool { return r.Spec.Active }, true, undo}
	cmd := &cobra.Command{
		Use: verb + " HANDLER VERSION", Short: short, Example: "  kubectl gati version " + verb + " users v1.2.0",
		Args: env.Usage(cobra.ExactArgs(2)),
	}
	o := newEditor(e, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.run(cmd.Context(), args[0], active.planSet(args[1], on))
	}
	return cmd
}

// planSet plans to set the field.
func (f flip) planSet(version string, on bool) plan {
	return func(objs model.Objects, h *model.Handler) (planned, error) {
		v, record, err := findRecord(objs, h, version)
		if err != nil {
			return planned{}, err
		}
		before := f.otherwise
		if set := f.read(record); set != nil {
			before = *set
		}
		items := []edit{{
			Change{v.Version, record.Name, f.field, strconv.FormatBool(before), strconv.FormatBool(on)}, on, record, false, f.field == "active" && !on,
		}}
		return planned{items: items, undo: f.undo.For(h.Name, v.Version) + " -n " + h.Namespace}, nil
	}
}
