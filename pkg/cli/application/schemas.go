package application

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/app"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/git"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/printable"
)

const schemasLong = `Reads the JSON Schemas of an application's handlers from the types of its code, with the
application's own gati-kubernetes and TypeScript, and shows them.

--write puts them into the handlers' manifests in k8s/ and keeps the rest of these files.

--check compares them with the manifests of a git revision, by default HEAD: it names each
change that breaks callers, and the version to take. It needs no cluster and no image. It
ends with exit code 3 where callers break. --scaffold also writes the transformer that
serves them, unless the file exists.`

type schemasOptions struct {
	env                    *env.Env
	format                 *output.Format
	write, check, scaffold bool
	revision               string
}

// NewSchemas returns the command.
func NewSchemas(e *env.Env) *cobra.Command {
	o := &schemasOptions{env: e, format: output.NewFormat()}
	cmd := &cobra.Command{
		Use:   "schemas [DIR]",
		Short: "Read the schemas of an application's handlers, and find what breaks callers",
		Long:  schemasLong,
		Example: `  # Show the schemas of the application in this folder
  kubectl gati schemas

  # Keep them with the manifests
  kubectl gati schemas --write

  # In CI, fail if the change breaks callers of the version on main
  kubectl gati schemas --check --revision origin/main`,
		Args: env.Usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), append(args, ".")[0])
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.write, "write", false, "Write the schemas into the manifests in k8s/")
	flags.BoolVar(&o.check, "check", false, "Compare with the manifests of a git revision")
	flags.BoolVar(&o.scaffold, "scaffold", false, "With --check, write a transformer for each version that breaks callers, in src/transformers")
	flags.StringVar(&o.revision, "revision", "HEAD", "The git revision that --check compares with")
	cmd.MarkFlagsMutuallyExclusive("write", "check")
	o.format.AddTo(cmd)
	return cmd
}

func (o *schemasOptions) run(ctx context.Context, dir string) error {
	printer, err := o.format.Printer()
	if err != nil {
		return err
	}
	if o.scaffold && !o.check {
		return exit.Usagef("--scaffold needs --check, which finds the versions that break callers")
	}
	routes, err := extractSchemas(ctx, dir)
	if err != nil {
		return err
	}
	switch {
	case o.check:
		return o.runCheck(ctx, printer, dir, routes)
	case o.write:
		return o.runWrite(dir, routes)
	case printer != nil:
		return printDocument(o.env, printer, &schemasPage{header: newHeader("HandlerSchemas"), Handlers: routes})
	}
	return o.showRoutes(routes)
}

// extractor is the program of the npm package, in the folder of an application.
const extractor = "node_modules/gati-kubernetes/src/cli/main.js"

// extractSchemas runs the application's own extractor.
func extractSchemas(ctx context.Context, dir string) ([]app.RouteSchema, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%w; install Node.js 18.18 or later", err)
	}
	program := filepath.Join(dir, filepath.FromSlash(extractor))
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("%w; install the dependencies of the application first, such as with npm install", err)
	}
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, node, program, "schemas", dir)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("read the schemas of %s: %w\n%s", dir, err, printable.Text(problems.String()))
	}
	var routes []app.RouteSchema
	if err := json.Unmarshal(out.Bytes(), &routes); err != nil {
		return nil, fmt.Errorf("read the schemas of %s: %w", dir, err)
	}
	for i := range routes {
		for _, s := range []*json.RawMessage{&routes[i].Input, &routes[i].Output} {
			*s = compact(*s)
		}
	}
	return routes, nil
}

func compact(text json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return text
	}
	return out.Bytes()
}

func (o *schemasOptions) showRoutes(routes []app.RouteSchema) error {
	var out bytes.Buffer
	for _, r := range routes {
		fmt.Fprintf(&out, "%s %s (%s)\n", r.Method, r.Route, r.File)
		fmt.Fprintf(&out, "  input:  %s\n  output: %s\n", orNothing(r.Input), orNothing(r.Output))
		for _, gap := range r.Gaps {
			fmt.Fprintf(&out, "  open: %s\n", gap)
		}
	}
	_, err := fmt.Fprint(o.env.Streams.Out, printable.Text(out.String()))
	return err
}

func orNothing(schema json.RawMessage) string {
	if len(schema) == 0 {
		return "the code says nothing"
	}
	return string(schema)
}

// runWrite writes the schemas into the manifests and into init's copies of them, so that init
// does not take the files for edited.
func (o *schemasOptions) runWrite(dir string, routes []app.RouteSchema) error {
	paths, err := filepath.Glob(filepath.Join(dir, manifestDir, "*.yaml"))
	if err != nil {
		return err
	}
	changed := false
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		now, err := o.writeInto(path, text, routes)
		if err != nil {
			return err
		}
		if bytes.Equal(now, text) {
			continue
		}
		changed = true
		fmt.Fprint(output.Data(o.env.Streams.Out), udiff.Unified(path, path, string(text), string(now)))
		if err := replaceManifest(dir, path, text, now); err != nil {
			return err
		}
	}
	if !changed {
		fmt.Fprintln(o.env.Streams.Out, "nothing changes")
	}
	return nil
}

// writeInto returns a manifest with the schemas of its handlers.
func (o *schemasOptions) writeInto(path string, text []byte, routes []app.RouteSchema) ([]byte, error) {
	handlers, err := handlersIn(path, text)
	if err != nil {
		return nil, err
	}
	now := text
	for _, h := range handlers {
		s, err := app.FindSchema(&h.Spec, routes)
		if err != nil {
			fmt.Fprintf(o.env.Streams.ErrOut, "%s: no schema is written for %s: %v\n", path, h.Name, err)
			continue
		}
		if len(s.Input)+len(s.Output) == 0 {
			continue
		}
		if now, err = app.SetSchema(now, h.Name, s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return now, nil
}

func replaceManifest(dir, path string, old, now []byte) error {
	copied := filepath.Join(dir, writtenDir, manifestDir, filepath.Base(path))
	if last, err := os.ReadFile(copied); err == nil && bytes.Equal(last, old) {
		if err := os.WriteFile(copied, now, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, now, 0o644)
}

// manifestDir has the manifests of an application.
const manifestDir = "k8s"

// handlersIn returns the handlers of a manifest. Documents of others are passed over.
func handlersIn(path string, text []byte) ([]*v1.GatiHandler, error) {
	documents, err := admit.Decode(bytes.NewReader(text), path)
	if err != nil {
		return nil, err
	}
	var out []*v1.GatiHandler
	for _, doc := range documents {
		if h, ok := doc.Object.(*v1.GatiHandler); ok {
			out = append(out, h)
		}
	}
	return out, nil
}

// readRevision returns the handlers of the manifests of a git revision.
func readRevision(ctx context.Context, dir, revision string) ([]*v1.GatiHandler, error) {
	list, err := git.Read(ctx, dir, "ls-tree", "--name-only", "-z", "--end-of-options", revision, manifestDir+"/")
	if err != nil {
		return nil, err
	}
	var out []*v1.GatiHandler
	for _, name := range bytes.Split(bytes.TrimRight(list, "\x00"), []byte{0}) {
		if filepath.Ext(string(name)) != ".yaml" {
			continue
		}
		text, err := git.Read(ctx, dir, "show", "--end-of-options", revision+":./"+string(name))
		if err != nil {
			return nil, err
		}
		handlers, err := handlersIn(revision+":"+string(name), text)
		if err != nil {
			return nil, err
		}
		out = append(out, handlers...)
	}
	if len(out) == 0 {
		return nil, errors.New(revision + " has no GatiHandler in " + manifestDir + "/; commit the manifests first")
	}
	return out, nil
}
