package application

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"

	"gati.dev/gati/pkg/app"
	"gati.dev/gati/pkg/appimage"
	"gati.dev/gati/pkg/cli/devcluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

const buildLong = `Builds the image of a Gati application's folder, without Docker and without a Dockerfile:
dependencies of production as its lock file has them, the compiled code, and Node.js. The
same folder gives the same image. The folder is not changed.

Node.js is that of this machine, on Linux; --base takes an image of a registry instead.
The package gati-kubernetes, which runs the application, comes with this plugin.

--push uses the credentials that docker or podman have for the registry. --load gives the
image to the devcluster of the kubeconfig, --output writes a file for docker load. With
none of them the image is built and described only.`

type buildOptions struct {
	image, base, output string
	push, load          bool
}

// NewBuild returns the command.
func NewBuild(e *env.Env) *cobra.Command {
	o := &buildOptions{}
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the image of an application's folder",
		Long:  buildLong,
		Example: `  # Build and push
  kubectl gati build --image registry.example.com/shop:v1.0.0 --push

  # A file, on the Node.js of an image
  kubectl gati build shop --base node:22-slim --output shop.tar`,
		Args: env.Usage(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), e, append(args, ".")[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.image, "image", "", "Name of the image; the name and version of package.json unless set")
	flags.StringVar(&o.base, "base", "", "Image with Node.js to build upon, instead of this machine's Node.js")
	flags.StringVar(&o.output, "output", "", "File to write the image to, for docker load")
	flags.BoolVar(&o.push, "push", false, "Push the image to its registry")
	flags.BoolVar(&o.load, "load", false, "Load the image into the devcluster of the kubeconfig")
	return cmd
}

func (o *buildOptions) run(ctx context.Context, e *env.Env, dir string) error {
	cluster := ""
	if o.load {
		if cluster = devcluster.Dir(e); cluster == "" {
			return exit.Usagef("--load: the cluster of the kubeconfig is none of devcluster's; use --push")
		}
	}
	image, layers, err := build(ctx, dir, o.image, o.base, e.Streams.ErrOut)
	if err != nil {
		return err
	}
	if err := describeImage(e.Streams.Out, image, layers); err != nil {
		return err
	}
	if o.output != "" {
		if err := appimage.WriteArchive(o.output, image); err != nil {
			return err
		}
	}
	if o.push {
		if err := appimage.Push(ctx, image); err != nil {
			return err
		}
	}
	if o.load {
		return loadImage(ctx, cluster, image)
	}
	return nil
}

// build builds the image of a folder. Without a name it has that of the application.
func build(ctx context.Context, dir, image, base string, log io.Writer) (out appimage.Tagged, layers []appimage.Layer, err error) {
	a, err := app.Read(os.DirFS(dir))
	if err != nil {
		return out, nil, fmt.Errorf("%s: %w", dir, err)
	}
	if image == "" {
		image = a.Name + ":v" + cmp.Or(a.Version, "0.1.0")
	}
	if out.Tag, err = name.NewTag(image); err != nil {
		return out, nil, exit.Usagef("--image is %q, which names no image: %v", image, err)
	}
	source := appimage.Source{Dir: dir, Manifest: a.Production.Manifest, Config: a.Production.Config}
	built, err := appimage.Build(ctx, source, appimage.Options{Base: base, Log: log})
	if err != nil {
		return out, nil, fmt.Errorf("%s: %w", dir, err)
	}
	out.Image = built.Image
	return out, built.Layers, nil
}

func describeImage(w io.Writer, image appimage.Tagged, layers []appimage.Layer) error {
	digest, err := image.Image.Digest()
	if err != nil {
		return err
	}
	var total int64
	for _, l := range layers {
		total += l.Size
	}
	fmt.Fprintf(w, "image   %s\ndigest  %s\nsize    %s\n", output.Line(image.Tag.String()), digest, formatSize(total))
	for _, l := range layers {
		fmt.Fprintf(w, "        %s  %s\n", formatSize(l.Size), output.Line(l.Name))
	}
	return nil
}

func formatSize(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%5.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%5.1f MB", float64(bytes)/1e6)
}

func loadImage(ctx context.Context, cluster string, image appimage.Tagged) error {
	dir, err := os.MkdirTemp("", "gati-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	archive := filepath.Join(dir, "image.tar")
	if err := appimage.WriteArchive(archive, image); err != nil {
		return err
	}
	return devcluster.Load(ctx, cluster, archive)
}
