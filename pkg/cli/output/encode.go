package output

import (
	"bytes"
	"encoding/json"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"
	"sigs.k8s.io/yaml/kyaml"

	"gati.dev/gati/pkg/printable"
)

// jsonPrinter escapes what encoding/json leaves in strings and a terminal obeys.
type jsonPrinter struct{ printers.ResourcePrinter }

// PrintObj prints an object.
func (p jsonPrinter) PrintObj(o runtime.Object, w io.Writer) error {
	document, err := p.encode(o)
	if err != nil {
		return err
	}
	_, err = w.Write(document)
	return err
}

func (p jsonPrinter) encode(o runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	err := p.ResourcePrinter.PrintObj(o, &out)
	return []byte(printable.JSON(out.String())), err
}

// yamlPrinter prints YAML by way of JSON, since that of kubectl fails at DEL and C1.
type yamlPrinter struct {
	json  jsonPrinter
	later bool
}

// PrintObj prints an object, the second one and later ones after a separator.
func (p *yamlPrinter) PrintObj(o runtime.Object, w io.Writer) error {
	document, err := p.json.encode(o)
	if err != nil {
		return err
	}
	if document, err = yaml.JSONToYAML(document); err != nil {
		return err
	}
	if p.later {
		document = append([]byte("---\n"), document...)
	}
	p.later = true
	_, err = w.Write(document)
	return err
}

// kyamlPrinter is yamlPrinter for KYAML, which begins each document with a separator.
type kyamlPrinter struct{ json jsonPrinter }

// PrintObj prints an object.
func (p kyamlPrinter) PrintObj(o runtime.Object, w io.Writer) error {
	document, err := p.json.encode(o)
	if err != nil {
		return err
	}
	var encoder kyaml.Encoder
	return encoder.FromYAML(bytes.NewReader(document), w)
}

// YAML returns a value as YAML, whatever characters it holds.
func YAML(value any) ([]byte, error) {
	document, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML([]byte(printable.JSON(string(document))))
}

// WriteJSON writes a value as one line of JSON.
func WriteJSON(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = io.WriteString(Data(w), printable.JSON(string(line))+"\n")
	return err
}
