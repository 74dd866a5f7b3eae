package version

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/rollout"
	model "gati.dev/gati/pkg/status"
)

func newTraffic(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "set-traffic HANDLER VERSION=PERCENT|VERSION-...",
		SuggestFor: []string{"traffic", "weight", "split"},
		Short:      "Set the traffic shares under the strategy Manual",
		Long: `Sets spec.traffic of the records: the percent of the traffic that each version gets.
Versions that are not named keep theirs; VERSION- removes a share. The stable version
takes what the others leave if it has no share. More than 100 percent, or less with no
version to take the rest, is scaled to 100; all 0 changes nothing.

It prints the shares of all versions before and after, and the command that restores
them. Weights move as pods become ready; "kubectl gati rollout status" waits for them.

A share that would move nothing is refused: after a rollback, which keeps all traffic
until "kubectl gati rollout retry" or a change of the spec ends it, and for a version
that is held, inactive, rejected or decommissioned. So is every share under the other
strategies, where the rollout sets the weights.`,
		Example: `  kubectl gati version set-traffic users v1.3.0=10
  kubectl gati version set-traffic users v1.2.0=60 v1.3.0=40
  kubectl gati version set-traffic users v1.2.0- v1.3.0=10`,
		Args: env.Usage(cobra.MinimumNArgs(2)),
	}
	o := newEditor(e, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		shares, err := parseShares(args[1:])
		if err != nil {
			return err
		}
		return o.run(cmd.Context(), args[0], func(objs model.Objects, h *model.Handler) (planned, error) {
			return planTraffic(objs, h, shares)
		})
	}
	return cmd
}

// share is the requested share of one version; nil removes it.
type share struct {
	version string
	of      *int32
}

func parseShares(args []string) ([]share, error) {
	var out []share
	seen := map[string]bool{}
	for _, arg := range args {
		s, err := parseShare(arg)
		if err != nil {
			return nil, err
		}
		if seen[s.version] {
			return nil, exit.Usagef("%s is named twice", s.version)
		}
		seen[s.version] = true
		out = append(out, s)
	}
	return out, nil
}

func parseShare(arg string) (share, error) {
	version, text, found := strings.Cut(arg, "=")
	if bare, removes := strings.CutSuffix(version, "-"); !found && removes && bare != "" {
		return share{version: bare}, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "%"), 10, 32)
	switch {
	case !found || version == "" || err != nil:
		return share{}, exit.Usagef("%q: must be VERSION=PERCENT, such as v1.2.0=90, or VERSION- to remove a share", arg)
	case n < 0 || n > 100:
		return share{}, exit.Usagef("%q: a share must be from 0 to 100", arg)
	}
	of := int32(n)
	return share{version, &of}, nil
}

func planTraffic(objs model.Objects, h *model.Handler, shares []share) (planned, error) {
	if h.Strategy != v1.StrategyManual {
		return planned{}, fmt.Errorf("gh/%s has the strategy %s, which ignores spec.traffic; set spec.rollout.strategy to Manual, or promote the rollout: %s", h.Name, h.Strategy, remedy.Promote.For(h.Name+" -n "+h.Namespace))
	}
	// A route has a limited number of shares: those set to 0 are written first.
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(rankShare(a.of), rankShare(b.of)) })
	out, traffic := planned{}, map[string]*int32{}
	for _, s := range shares {
		v, record, err := findRecord(objs, h, s.version)
		if err != nil {
			return planned{}, err
		}
		traffic[v.Version] = s.of
		var value any
		if s.of != nil {
			value = *s.of
		}
		out.items = append(out.items, edit{
			Change{v.Version, record.Name, "traffic", formatShare(record.Spec.Traffic), formatShare(s.of)}, value, record, false, true,
		})
	}
	change := h.SetTraffic(traffic)
	if change.Refused != "" {
		return planned{}, fmt.Errorf("gh/%s: set-traffic refused: %s", h.Name, change.Refused)
	}
	if change.After != nil {
		out.shares, out.note = shiftsOf(change.ShareChange), noteOn(change.Requested)
	}
	out.undo = formatUndo(h, change.Undo)
	return out, nil
}

func rankShare(share *int32) int32 {
	if share == nil {
		return 0
	}
	return min(*share, 1)
}

func formatShare(share *int32) string {
	if share == nil {
		return "unset"
	}
	return strconv.Itoa(int(*share))
}

// shiftsOf joins the shares before and after.
func shiftsOf(change rollout.ShareChange) []Shift {
	var out []Shift
	for _, s := range change.Before {
		out = append(out, Shift{Version: s.Version, From: s.Percent})
	}
	for _, s := range change.After {
		i := slices.IndexFunc(out, func(have Shift) bool { return have.Version == s.Version })
		if i < 0 {
			i, out = len(out), append(out, Shift{Version: s.Version})
		}
		out[i].To = s.Percent
	}
	return out
}

// noteOn explains shares that do not add up to 100 percent.
func noteOn(requested int32) string {
	switch {
	case requested == 0:
		return "no version requests traffic; the shares stay as they are"
	case requested > 100:
		return fmt.Sprintf("the records request %d %% in all, which is scaled to 100 %%", requested)
	case requested < 100:
		return fmt.Sprintf("the records request %d %% in all and every version with traffic has a share, so it is scaled to 100 %%", requested)
	default:
		return ""
	}
}

func formatUndo(h *model.Handler, shares map[string]*int32) string {
	if len(shares) == 0 {
		return ""
	}
	var args []string
	for _, version := range slices.Sorted(maps.Keys(shares)) {
		if s := shares[version]; s != nil {
			args = append(args, fmt.Sprintf("%s=%d", version, *s))
		} else {
			args = append(args, version+"-")
		}
	}
	return remedy.ResetTraffic.For(h.Name, strings.Join(args, " ")) + " -n " + h.Namespace
}
