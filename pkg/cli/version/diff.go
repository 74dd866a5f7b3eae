package version

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/schema"
	model "gati.dev/gati/pkg/status"
)

// Diff is the JSON form of "diff": kind VersionDiff, cli.gati.dev/v1.
type Diff struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Namespace and Handler are empty where files are compared.
	Namespace string `json:"namespace"`
	Handler   string `json:"handler"`
	Old       string `json:"old"`
	New       string `json:"new"`
	// Mode is the compatibility that the handler's versions must keep.
	Mode     schema.Mode `json:"mode"`
	Breaking bool        `json:"breaking"`
	// Uncovered names the missing transformers between the two; absent where none is
	// missing or needed.
	Uncovered string `json:"uncovered,omitempty"`
	// Findings break callers, Notes do not.
	Findings []schema.Finding `json:"findings"`
	Notes    []schema.Finding `json:"notes"`
	// Upgrades tell how files in an older draft or OpenAPI were read, and what is not checked.
	Upgrades []string `json:"upgrades,omitempty"`
}

const diffLong = `Compares the schemas of two versions of a handler, and shows each difference with its
place, a counterexample and the remedy. The schema of a version is read from its
record, from the handler that declares it, or from its revision.

With -f, versions and transformers are also read from manifests that are not applied
yet.

With --schema OLD NEW, two schemas are compared without a cluster, both as requests and as
responses: a file, - for standard input, or a file of a git revision. -o markdown is the
comment of a pull request, -o github annotates it, and -o sarif is for code scanning.

Ends with exit code 3 where callers of the old version break.`

// differ are the flags of "diff".
type differ struct {
	env    *env.Env
	format *output.Format
	files  []string
	mode   string
	schema bool
	// documents are what --schema compares.
	documents [2]document
}

func newDiff(e *env.Env) *cobra.Command {
	d := &differ{env: e, format: output.NewFormat(formatMarkdown, formatGitHub, formatSARIF)}
	cmd := &cobra.Command{
		Use:               "diff HANDLER OLD NEW",
		Short:             "Compare the schemas of two versions of a handler",
		Long:              diffLong,
		Example:           "  kubectl gati version diff users v1 v2\n  kubectl gati version diff users v1 v2 -f users.yaml\n  kubectl gati version diff --schema HEAD~1:user.json user.json",
		Args:              env.Usage(d.checkArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.run(cmd.Context(), args[:len(args)-2], args[len(args)-2], args[len(args)-1])
		},
	}
	cmd.Flags().StringSliceVarP(&d.files, "filename", "f", nil, "A manifest with versions that are not applied yet; - is standard input.")
	cmd.Flags().StringVar(&d.mode, "mode", "", "NONE, BACKWARD, FORWARD or FULL; by default the handler's spec.versions.compatibility.")
	cmd.Flags().BoolVar(&d.schema, "schema", false, "Compare two schemas instead of versions: files, - or git revisions such as HEAD~1:user.json.")
	cmd.MarkFlagsMutuallyExclusive("schema", "filename")
	d.format.AddTo(cmd)
	return cmd
}

func (d *differ) checkArgs(cmd *cobra.Command, args []string) error {
	if d.schema {
		return cobra.ExactArgs(2)(cmd, args)
	}
	return cobra.ExactArgs(3)(cmd, args)
}

// run compares two versions of the named handler, or two schemas where none is named.
func (d *differ) run(ctx context.Context, handler []string, old, new string) error {
	printer, err := d.format.Printer()
	if err != nil {
		return err
	}
	if d.mode != "" && !slices.Contains([]schema.Mode{schema.None, schema.Backward, schema.Forward, schema.Full}, schema.Mode(d.mode)) {
		return exit.Usagef("--mode %q: must be NONE, BACKWARD, FORWARD or FULL", d.mode)
	}
	out, err := d.compare(ctx, handler, old, new)
	if err != nil {
		return err
	}
	if printer != nil {
		err = printAs(d.env, d.format, printer, out)
	} else {
		err = d.writeReport(out)
	}
	if err == nil && out.Breaking {
		return exit.Silent(exit.Unhealthy)
	}
	return err
}

func (d *differ) compare(ctx context.Context, handler []string, old, new string) (*Diff, error) {
	if len(handler) == 0 {
		return d.compareFiles(ctx, old, new)
	}
	f, namespace, err := d.readFamily(ctx, handler[0], old, new)
	if err != nil {
		return nil, err
	}
	return compareVersions(f, namespace, old, new)
}

// readFamily reads the versions of a handler: those of the manifests replace those of
// the cluster.
func (d *differ) readFamily(ctx context.Context, handler, old, new string) (compat.Family, string, error) {
	objs, s, err := readHandler(ctx, d.env, handler)
	if err != nil {
		return compat.Family{}, "", err
	}
	h := &objs.Handlers[0]
	frozen, err := d.readFrozen(ctx, h)
	if err != nil {
		return compat.Family{}, "", err
	}
	src := compat.Source{Handler: h, Records: recordsByVersion(objs, &s.Handlers[0]), Frozen: frozen}
	if err := d.overlayManifests(&src); err != nil {
		return compat.Family{}, "", err
	}
	src.Resolved, _ = defaulting.ResolveHandler(&src.Handler.Spec, facts.Facts{})
	src.Resolved.Version = cmp.Or(string(src.Handler.Spec.Version), src.Resolved.Version)
	f := compat.FamilyOf(src)
	if d.mode != "" {
		f.Policy.Mode = schema.Mode(d.mode)
	}
	for _, name := range []string{old, new} {
		if !slices.ContainsFunc(f.Versions, func(v compat.Version) bool { return v.Name == name }) {
			return f, "", fmt.Errorf("gh/%s has no version %q; see %s, or name its manifest with -f", h.Name, name, remedy.ListVersions.For(h.Name+" -n "+h.Namespace))
		}
	}
	return f, h.Namespace, nil
}

// recordsByVersion returns the effective record of each version.
func recordsByVersion(objs model.Objects, h *model.Handler) map[string]*v1.GatiVersion {
	out := map[string]*v1.GatiVersion{}
	for i := range h.Versions {
		if v, record, err := findRecord(objs, h, h.Versions[i].Version); err == nil {
			out[v.Version] = record
		}
	}
	return out
}

// readFrozen reads the schemas that are kept with the revisions.
func (d *differ) readFrozen(ctx context.Context, h *v1.GatiHandler) (map[string]*v1.VersionSchema, error) {
	c, err := cluster.Connect(d.env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := cluster.Bounded(ctx, d.env)
	defer cancel()
	var list appsv1.ControllerRevisionList
	if err := c.List(ctx, &list, client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		fmt.Fprintf(d.env.Streams.ErrOut, "warning: revisions could not be read; their schemas are missing: %v\n", err)
		return nil, nil
	}
	var revisions []expand.Revision
	for i := range list.Items {
		cr := &list.Items[i]
		if !expand.IsRevisionOf(cr, h) {
			continue
		}
		if r, err := expand.ReadRevision(cr, h); err == nil {
			revisions = append(revisions, r)
		}
	}
	return expand.FindSchemas(revisions), nil
}

// compareVersions compares two versions of a family, in the given order.
func compareVersions(f compat.Family, namespace, old, new string) (*Diff, error) {
	sides, err := readSchemas(f, old, new)
	if err != nil {
		return nil, err
	}
	report := schema.Compatibility(sides[0], sides[1], f.Policy.Mode)
	out := &Diff{
		APIVersion: model.APIVersion, Kind: "VersionDiff", Namespace: namespace, Handler: f.Handler, Old: old, New: new, Mode: f.Policy.Mode,
		Breaking: report.Breaking, Findings: report.Findings, Notes: schema.Notes(sides[0], sides[1], f.Policy.Mode),
	}
	if out.Breaking {
		out.Uncovered = f.Uncovered(old, new)
	}
	return out, nil
}

// readSchemas reads the schemas of two versions of a family.
func readSchemas(f compat.Family, old, new string) (sides [2]schema.Version, err error) {
	for i, name := range []string{old, new} {
		at := slices.IndexFunc(f.Versions, func(v compat.Version) bool { return v.Name == name })
		if sides[i], err = compat.Read(f.Versions[at].Schema); err != nil {
			return sides, fmt.Errorf("%s: %w", name, err)
		}
	}
	return sides, nil
}

// Compare writes the output of "diff" for two versions of a handler. Broken callers
// are not an error.
func Compare(ctx context.Context, e *env.Env, namespace, handler, old, new string) error {
	d := &differ{env: e.In(namespace), format: output.NewFormat()}
	if err := d.run(ctx, []string{"gh/" + handler}, old, new); err != nil && !exit.IsSilent(err) {
		return err
	}
	return nil
}
