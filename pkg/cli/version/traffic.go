package version

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	model "gati.dev/gati/pkg/status"
)

func newTraffic(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set-traffic HANDLER VERSION=SHARE...",
		Short: "Set the traffic shares under the strategy Manual",
		Long: `Sets spec.traffic of the records: shares from 0 to 100, relative to those of the
other versions. Versions that are not named keep theirs. Weights move as pods become
ready; "kubectl gati rollout status" waits for them.

Under the other strategies it is an error: there the rollout sets the weights.`,
		Example: "  kubectl gati version set-traffic users v1.2.0=90 v1.3.0=10",
		Args:    env.Usage(cobra.MinimumNArgs(2)),
	}
	o := newEditor(e, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		shares, err := parseShares(args[1:])
		if err != nil {
			return err
		}
		return o.run(cmd.Context(), args[0], func(objs model.Objects, h *model.Handler) ([]edit, string, error) {
			return planTraffic(objs, h, shares)
		})
	}
	return cmd
}

// share is the requested share of one version.
type share struct {
	version string
	of      int32
}

func parseShares(args []string) ([]share, error) {
	var out []share
	seen := map[string]bool{}
	for _, arg := range args {
		version, text, found := strings.Cut(arg, "=")
		n, err := strconv.ParseInt(strings.TrimSuffix(text, "%"), 10, 32)
		switch {
		case !found || version == "" || err != nil:
			return nil, exit.Usagef("%q: must be VERSION=SHARE, such as v1.2.0=90", arg)
		case n < 0 || n > 100:
			return nil, exit.Usagef("%q: a share must be from 0 to 100", arg)
		case seen[version]:
			return nil, exit.Usagef("%s is named twice", version)
		}
		seen[version] = true
		out = append(out, share{version, int32(n)})
	}
	return out, nil
}

func planTraffic(objs model.Objects, h *model.Handler, shares []share) ([]edit, string, error) {
	if h.Strategy != v1.StrategyManual {
		return nil, "", fmt.Errorf("gh/%s has the strategy %s, which ignores spec.traffic; set spec.rollout.strategy to Manual, or see kubectl gati rollout promote --help", h.Name, h.Strategy)
	}
	// A route has a limited number of shares: those set to 0 are written first.
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(min(a.of, 1), min(b.of, 1)) })
	var items []edit
	undo := "kubectl gati version set-traffic " + h.Name
	for _, s := range shares {
		v, record, err := findRecord(objs, h, s.version)
		if err != nil {
			return nil, "", err
		}
		before := "unset"
		if t := record.Spec.Traffic; t != nil {
			before = strconv.Itoa(int(*t))
			undo += fmt.Sprintf(" %s=%d", v.Version, *t)
		} else {
			undo += fmt.Sprintf(" %s=0", v.Version)
		}
		items = append(items, edit{
			Change{v.Version, record.Name, "traffic", before, strconv.Itoa(int(s.of))}, s.of, record, false, true,
		})
	}
	return items, undo + " -n " + h.Namespace, nil
}
