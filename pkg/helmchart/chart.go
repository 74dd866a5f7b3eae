package helmchart

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/ownership"
)

// File is a file of a chart. Its name is relative to the chart's folder.
type File struct {
	Name string
	Data []byte
}

// Chart is the children of one owner as files.
type Chart struct {
	// Name is the name of the chart and of its release.
	Name  string
	Files []File
	// Rendered has what Helm makes of each template with the chart's own values.
	Rendered []File
}

// metadata is the content of Chart.yaml.
type metadata struct {
	APIVersion  string `json:"apiVersion"`
	Name        string `json:"name"`
	Version     string `json:"version"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

// Signature is part of the description of every chart that Gati writes.
const Signature = "written by Gati."

// baseVersion is the version of every chart; the hash of the templates is its build
// metadata.
const baseVersion = "0.1.0"

// New returns the chart of one owner's children.
func New(children []client.Object) (Chart, error) {
	if len(children) == 0 {
		return Chart{}, fmt.Errorf("a chart needs at least one object")
	}
	out := Chart{Name: NameFor(children[0])}
	values, sum := newValues(), sha256.New()
	var templates []template
	for _, child := range children {
		if NameFor(child) != out.Name {
			return Chart{}, fmt.Errorf("%s belongs to another chart than %s", child.GetName(), out.Name)
		}
		made, err := newTemplate(child, values)
		if err != nil {
			return Chart{}, err
		}
		templates = append(templates, made)
	}
	slices.SortFunc(templates, func(a, b template) int { return strings.Compare(a.name, b.name) })
	for _, t := range templates {
		fmt.Fprintf(sum, "%s\n%d\n%s", t.name, len(t.text), t.text)
	}
	about, err := yaml.Marshal(metadata{
		APIVersion: "v2", Name: out.Name, Type: "application",
		Version:     baseVersion + "+" + hex.EncodeToString(sum.Sum(nil)[:6]),
		Description: "The objects of " + describeOwner(children[0]) + ", " + Signature,
	})
	if err != nil {
		return Chart{}, err
	}
	settings, err := values.encode()
	if err != nil {
		return Chart{}, err
	}
	out.Files = []File{{"Chart.yaml", about}, {"values.yaml", settings}}
	for _, t := range templates {
		out.Files = append(out.Files, File{t.name, t.text})
		out.Rendered = append(out.Rendered, File{t.name, t.rendered})
	}
	return out, nil
}

// NameFor returns the name of the chart, and of the release, that a child belongs to.
func NameFor(child client.Object) string {
	label, name := ownership.OwnerLabel(child)
	if label == v1.LabelModule {
		return naming.ModuleChild(name)
	}
	return naming.HandlerChild(name)
}

func describeOwner(child client.Object) string {
	label, name := ownership.OwnerLabel(child)
	if label == v1.LabelModule {
		return "GatiModule " + name
	}
	return "GatiHandler " + name
}

// ByOwner splits children into those of each owner, in the order of their first ones.
func ByOwner(children []client.Object) [][]client.Object {
	var out [][]client.Object
	at := map[string]int{}
	for _, child := range children {
		key := child.GetNamespace() + "/" + NameFor(child)
		i, known := at[key]
		if !known {
			i = len(out)
			at[key], out = i, append(out, nil)
		}
		out[i] = append(out[i], child)
	}
	return out
}

// Hash identifies the content of a chart: templates and values.
func (c Chart) Hash() string {
	sum := sha256.New()
	for _, f := range c.Files {
		fmt.Fprintf(sum, "%s\n%d\n%s", f.Name, len(f.Data), f.Data)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
