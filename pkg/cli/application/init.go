// Package application has the commands "kubectl gati init" and "build": the files that run an
// application's folder on Kubernetes, and its image.
//
// It must not talk to the API server. pkg/app decides what the files are, pkg/appimage makes
// the image.
package application

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/app"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

const long = `Reads a Gati application's folder and writes a Dockerfile, .dockerignore and manifests in
k8s/. It prints what changes as a diff.

Run it again after a change of the code. A file that was edited, or that was there before,
is never overwritten or restored: its new form is only shown. .gati/kubernetes has what was
written last; keep it under version control.`

const examples = `  # Write the files of the application in this folder
  kubectl gati init --image registry.example.com/shop:v1.0.0

  # Only show them
  kubectl gati init shop --image shop:v1.0.0 --dry-run

  # A handler for each route, on a gateway of another namespace
  kubectl gati init --image shop:v1.0.0 --per route --gateway gateways/public --hostname shop.example.com

  # A GatiModule for each module
  kubectl gati init --registry registry.example.com/team --modules cluster`

// writtenDir has a copy of each file as it was written last.
const writtenDir = ".gati/kubernetes"

type options struct {
	app.Options
	per, modules, gateway, registry string
	dryRun                          bool
}

// NewInit returns the command.
func NewInit(e *env.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:        "init [DIR]",
		SuggestFor: []string{"create", "new"},
		Short:      "Write the files that run an application's folder on Kubernetes",
		Long:       long,
		Example:    examples,
		Args:       env.Usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return o.run(e, append(args, ".")[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Image, "image", "", "Image of the application, with a version as its tag")
	flags.StringVar(&o.per, "per", "app", "What has a handler of its own: app or route")
	flags.StringVar(&o.registry, "registry", "", "Registry and path of the image, whose name and tag are those of package.json")
	flags.StringVar(&o.modules, "modules", "process", "Where modules run: in the process of the handlers, or in pods of their own in the cluster")
	flags.StringVar(&o.gateway, "gateway", "", "Gateway that the routes belong to, as NAME or NAMESPACE/NAME")
	flags.StringVar(&o.Hostname, "hostname", "", "Hostname of the routes on the gateway")
	flags.BoolVar(&o.dryRun, "dry-run", false, "Show the changes without writing them")
	return cmd
}

func (o *options) run(e *env.Env, dir string) error {
	if err := o.check(); err != nil {
		return err
	}
	folder := os.DirFS(dir)
	a, err := app.Read(folder)
	if err == nil {
		err = app.Check(a, o.Options)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	for _, note := range a.Notes {
		fmt.Fprintf(e.Streams.ErrOut, "note: %s\n", note)
	}
	if o.Image == "" {
		o.Image = app.ImageName(a, o.registry)
	}
	wanted := app.Files(a, o.Options)
	changes, err := compareFiles(folder, wanted)
	if err != nil {
		return err
	}
	for _, c := range changes {
		o.print(e, c)
		if c.Edited || o.dryRun {
			continue
		}
		if err := writeFiles(dir, c); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		fmt.Fprintln(e.Streams.Out, "nothing changes")
	}
	return nil
}

func (o *options) check() error {
	switch {
	case o.per != "app" && o.per != "route":
		return exit.Usagef("--per is %q, want app or route", o.per)
	case o.modules != "process" && o.modules != "cluster":
		return exit.Usagef("--modules is %q, want process or cluster", o.modules)
	case (o.Image == "") == (o.registry == ""):
		return exit.Usagef("name the application's image: --image registry.example.com/shop:v1.0.0, or --registry registry.example.com")
	case o.Hostname != "" && o.gateway == "":
		return exit.Usagef("--hostname needs --gateway: a hostname is one of a gateway's")
	}
	o.PerRoute, o.ModulePods = o.per == "route", o.modules == "cluster"
	if namespace, name, found := strings.Cut(o.gateway, "/"); found {
		o.GatewayNamespace, o.Gateway = namespace, name
	} else {
		o.Gateway = o.gateway
	}
	return nil
}

func compareFiles(folder fs.FS, wanted map[string]string) ([]app.Change, error) {
	present, written := map[string]string{}, map[string]string{}
	for path := range wanted {
		if err := errors.Join(readInto(present, folder, path, path), readInto(written, folder, path, writtenDir+"/"+path)); err != nil {
			return nil, err
		}
	}
	return app.Merge(wanted, present, written), nil
}

func readInto(texts map[string]string, folder fs.FS, key, path string) error {
	text, err := fs.ReadFile(folder, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	texts[key] = string(text)
	return err
}

// writeFiles writes a file and its copy. The copy comes last: without it the file counts as
// edited, which loses nothing.
func writeFiles(dir string, c app.Change) error {
	for _, path := range []string{c.Path, writtenDir + "/" + c.Path} {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(c.New), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) print(e *env.Env, c app.Change) {
	verdict := "written"
	switch {
	case c.Edited:
		verdict = "kept as it is: it was edited; its new form would be"
	case o.dryRun:
		verdict = "would be written"
	}
	fmt.Fprintf(e.Streams.Out, "%s: %s\n", c.Path, verdict)
	fmt.Fprint(output.Data(e.Streams.Out), udiff.Unified(c.Path, c.Path, c.Old, c.New))
}
