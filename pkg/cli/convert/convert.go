// Package convert is the command "kubectl gati convert": it converts manifests of v1alpha1
// to v1.
//
// It must not talk to a cluster. It runs the conversion of gati-webhook itself.
package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/equality"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
)

const long = `Converts every GatiHandler, GatiModule and GatiVersion of gati.dev/v1alpha1 to
gati.dev/v1 and prints the manifests. It runs the conversion of gati-webhook on this
machine.

All other documents are printed unchanged, with their comments. If an object cannot be
converted, only the errors are printed and the exit code is 3.`

const examples = `  # Show the changes to a file
  kubectl gati convert -f users.yaml | diff users.yaml -

  # Write the converted file
  kubectl gati convert -f users.yaml > users.v1.yaml`

// NewCommand returns the command.
func NewCommand(e *env.Env) *cobra.Command {
	files := &manifest.Files{}
	cmd := &cobra.Command{
		Use:               "convert -f FILE",
		Short:             "Convert manifests from v1alpha1 to v1 offline",
		Long:              long,
		Example:           examples,
		Args:              env.Usage(cobra.NoArgs),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return runConvert(e, files) },
	}
	files.AddTo(cmd)
	return cmd
}

func runConvert(e *env.Env, files *manifest.Files) error {
	if err := files.Check(); err != nil {
		return err
	}
	set, err := files.Read(e.Streams.In)
	if err != nil {
		return err
	}
	if _, err := set.Ours(files); err != nil {
		return err
	}
	faults := slices.Clone(set.Broken)
	var out bytes.Buffer
	for i := range set.Documents {
		doc := &set.Documents[i]
		text, err := convertDocument(doc)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", manifest.Place(doc), err))
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(bytes.TrimRight(text, "\n"))
		out.WriteByte('\n')
	}
	if len(faults) > 0 {
		return exit.With(exit.Unhealthy, errors.Join(faults...))
	}
	_, err = io.Copy(output.Data(e.Streams.Out), &out)
	return err
}

// convertDocument returns the text of a document in v1.
func convertDocument(doc *admit.Document) ([]byte, error) {
	isOlder := doc.Kind.GroupVersion() == v1alpha1.GroupVersion
	if !isOlder && doc.Path == "" {
		return doc.Text, doc.Err
	}
	var content map[string]any
	if err := utiljson.Unmarshal(doc.Content, &content); err != nil {
		return nil, err
	}
	if !isOlder {
		text, err := output.YAML(content)
		return text, errors.Join(doc.Err, err)
	}
	newer, err := v1alpha1.ToV1(content)
	if err != nil {
		return nil, err
	}
	if doc.Err != nil {
		return nil, doc.Err
	}
	newer["apiVersion"] = v1.GroupVersion.String()
	if err := dropDefaults(content, newer); err != nil {
		return nil, err
	}
	return output.YAML(newer)
}

// dropDefaults takes away the defaults that conversion writes out for the API
// server: no user has written them, and v1 has the same.
func dropDefaults(older, newer map[string]any) error {
	bare := maps.Clone(older)
	bare["spec"] = map[string]any{}
	defaults, err := v1alpha1.ToV1(bare)
	if err != nil {
		return err
	}
	written, _ := older["spec"].(map[string]any)
	set, _ := defaults["spec"].(map[string]any)
	spec, _ := newer["spec"].(map[string]any)
	for name, value := range set {
		if _, has := written[name]; !has && equality.Semantic.DeepEqual(spec[name], value) {
			delete(spec, name)
		}
	}
	return nil
}
