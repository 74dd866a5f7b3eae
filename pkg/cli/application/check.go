package application

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/app"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/cli/version"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/scaffold"
	"gati.dev/gati/pkg/schema"
	model "gati.dev/gati/pkg/status"
)

// header is the beginning of each document.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func newHeader(kind string) header { return header{model.APIVersion, kind} }

type schemasPage struct {
	header   `json:",inline"`
	Handlers []app.RouteSchema `json:"handlers"`
}

// schemaCheck is the JSON form of "schemas --check".
type schemaCheck struct {
	header   `json:",inline"`
	Revision string          `json:"revision"`
	Handlers []checkedSchema `json:"handlers"`
}

// checkedSchema is the comparison of a handler's code with its manifest.
type checkedSchema struct {
	Handler string `json:"handler"`
	// Version is that of the manifest, Next the one to take; absent where the first is no
	// semantic version.
	Version string `json:"version"`
	Next    string `json:"next,omitempty"`
	// Problem is why nothing could be compared.
	Problem  string           `json:"problem,omitempty"`
	Breaking bool             `json:"breaking"`
	Findings []schema.Finding `json:"findings,omitempty"`
	Notes    []schema.Finding `json:"notes,omitempty"`
	// Transformer is the file that was written.
	Transformer string `json:"transformer,omitempty"`

	old, new schema.Version
}

func (o *schemasOptions) runCheck(ctx context.Context, printer printers.ResourcePrinter, dir string, routes []app.RouteSchema) error {
	handlers, err := readRevision(ctx, dir, o.revision)
	if err != nil {
		return err
	}
	check := schemaCheck{header: newHeader("SchemaCheck"), Revision: o.revision}
	breaking := false
	for _, h := range handlers {
		c, err := compareHandler(h, routes)
		if err != nil {
			return fmt.Errorf("gh/%s: %w", h.Name, err)
		}
		if c.Breaking && o.scaffold {
			if err := c.writeTransformer(dir); err != nil {
				return err
			}
		}
		breaking = breaking || c.Breaking
		check.Handlers = append(check.Handlers, c)
	}
	if printer != nil {
		err = printDocument(o.env, printer, &check)
	} else {
		err = o.showCheck(check, dir)
	}
	if err == nil && breaking {
		return exit.Silent(exit.Unhealthy)
	}
	return err
}

func printDocument(e *env.Env, printer printers.ResourcePrinter, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	return output.Print(printer, e.Streams.Out, &unstructured.Unstructured{Object: object})
}

// compareHandler compares the manifest of a handler with the schema of the code. What the
// code says nothing of stays as it is in the manifest.
func compareHandler(h *v1.GatiHandler, routes []app.RouteSchema) (checkedSchema, error) {
	resolved, _ := defaulting.ResolveHandler(&h.Spec, facts.Facts{})
	out := checkedSchema{Handler: h.Name, Version: cmp.Or(string(h.Spec.Version), resolved.Version)}
	if h.Spec.Schema == nil {
		out.Problem = "its manifest has no schema; write it by " + string(remedy.WriteSchemas) + ", and commit it"
		return out, nil
	}
	found, err := app.FindSchema(&h.Spec, routes)
	if err != nil || len(found.Routes) == 0 {
		out.Problem = fmt.Sprint(cmp.Or(err, fmt.Errorf("no file of src/handlers has the route %s", h.Spec.Path)))
		return out, nil
	}
	code := &v1.VersionSchema{}
	if len(found.Input) > 0 {
		code.Input = &apiextensionsv1.JSON{Raw: found.Input}
	}
	if len(found.Output) > 0 {
		code.Output = &apiextensionsv1.JSON{Raw: found.Output}
	}
	if out.old, err = compat.Read(h.Spec.Schema); err != nil {
		return out, err
	}
	if out.new, err = compat.Read(compat.Merged(code, h.Spec.Schema)); err != nil {
		return out, err
	}
	mode := schema.Mode(cmp.Or(string(resolved.Spec.Versions.Compatibility), string(schema.Backward)))
	report := schema.Compatibility(out.old, out.new, mode)
	out.Breaking, out.Findings, out.Notes = report.Breaking, report.Findings, schema.Notes(out.old, out.new, mode)
	out.Next = app.NextVersion(out.Version, out.Breaking, len(out.Findings)+len(out.Notes) > 0)
	return out, nil
}

// writeTransformer writes the file that serves callers of the old version. One that exists
// may be filled in, and stays.
func (c *checkedSchema) writeTransformer(dir string) error {
	if c.Next == "" {
		return nil
	}
	_, missing := os.Stat(filepath.Join(dir, "tsconfig.json"))
	pair := scaffold.Pair{
		Handler: c.Handler, From: c.Version, To: c.Next, Old: c.old, New: c.new, TypeScript: missing == nil,
		Findings: schema.Compatibility(c.old, c.new, schema.Backward).Findings,
	}
	c.Transformer = filepath.ToSlash(filepath.Join("src", "transformers", pair.FileName()))
	path := filepath.Join(dir, filepath.FromSlash(c.Transformer))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(pair.File())
	return errors.Join(err, file.Close())
}

func (o *schemasOptions) showCheck(check schemaCheck, dir string) error {
	shown := printable.Copy(check)
	var out bytes.Buffer
	for _, c := range shown.Handlers {
		c.writeTo(&out, dir)
	}
	_, err := o.env.Streams.Out.Write(out.Bytes())
	return err
}

func (c *checkedSchema) writeTo(out *bytes.Buffer, dir string) {
	switch {
	case c.Problem != "":
		fmt.Fprintf(out, "gh/%s: not compared: %s\n", c.Handler, c.Problem)
		return
	case c.Breaking:
		fmt.Fprintf(out, "gh/%s: this change breaks callers of %s\n", c.Handler, c.Version)
	default:
		fmt.Fprintf(out, "gh/%s: callers of %s are kept\n", c.Handler, c.Version)
	}
	for _, f := range append(c.Findings, c.Notes...) {
		version.WriteFinding(out, f)
	}
	if c.Next != "" {
		fmt.Fprintf(out, "→ release it as %s\n", c.Next)
	}
	switch {
	case c.Transformer != "":
		fmt.Fprintf(out, "→ fill in %s, which serves callers of %s\n", c.Transformer, c.Version)
	case c.Breaking && c.Next != "":
		fmt.Fprintf(out, "→ write a transformer for callers of %s: %s\n", c.Version, remedy.ScaffoldBreaks.For(dir))
	}
}
