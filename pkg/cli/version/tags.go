package version

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/remedy"
	model "gati.dev/gati/pkg/status"
)

func newTag(e *env.Env) *cobra.Command {
	return newTagging(e, "tag", "Add tags to a version", remedy.RemoveTag,
		checkFree, func(have, tags []v1.Tag) []v1.Tag {
			out := slices.Clone(have)
			for _, t := range tags {
				if !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
			return out
		})
}

func newUntag(e *env.Env) *cobra.Command {
	return newTagging(e, "untag", "Remove tags from a version", remedy.AddTag,
		nil, func(have, tags []v1.Tag) []v1.Tag {
			return slices.DeleteFunc(slices.Clone(have), func(t v1.Tag) bool { return slices.Contains(tags, t) })
		})
}

// checkFree refuses a tag that another version of the handler has: it would still
// select that one.
func checkFree(h *model.Handler, version string, tags []v1.Tag) error {
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Record == nil || v.Version == version {
			continue
		}
		for _, t := range tags {
			if slices.Contains(v.Record.Tags, t) {
				return fmt.Errorf("%s has the tag %s; remove it first: %s", v.Version, t, remedy.RemoveTag.For(h.Name+" -n "+h.Namespace, v.Version, string(t)))
			}
		}
	}
	return nil
}

// newTagging returns a command that changes the tags of a version. inverse reverts it; check,
// where there is one, refuses tags.
func newTagging(e *env.Env, verb, short string, inverse remedy.Remedy, check func(*model.Handler, string, []v1.Tag) error, change func(have, tags []v1.Tag) []v1.Tag) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb + " HANDLER VERSION TAG...", Short: short, Example: "  kubectl gati version " + verb + " users v1.2.0 stable",
		Args: env.Usage(cobra.MinimumNArgs(3)),
	}
	o := newEditor(e, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		tags := make([]v1.Tag, 0, len(args)-2)
		for _, a := range args[2:] {
			tags = append(tags, v1.Tag(a))
		}
		return o.run(cmd.Context(), args[0], func(objs model.Objects, h *model.Handler) (planned, error) {
			v, record, err := findRecord(objs, h, args[1])
			if err != nil {
				return planned{}, err
			}
			if check != nil {
				if err := check(h, v.Version, tags); err != nil {
					return planned{}, err
				}
			}
			after := change(record.Spec.Tags, tags)
			items := []edit{{
				Change{v.Version, record.Name, "tags", formatTags(record.Spec.Tags), formatTags(after)}, after, record, true, false,
			}}
			return planned{items: items, undo: inverse.For(h.Name, v.Version, strings.Join(args[2:], " ")) + " -n " + h.Namespace}, nil
		})
	}
	return cmd
}

func formatTags(tags []v1.Tag) string { return fmt.Sprint(tags) }
