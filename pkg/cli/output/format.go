package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"gati.dev/gati/pkg/cli/exit"
)

// Format is the flag -o and those beside it. Formats that cli-runtime does not
// know are the command's own words for its text.
type Format struct {
	flags *genericclioptions.PrintFlags
	own   []string
}

// NewFormat returns the flag with the formats of kubectl, and the command's own
// ones before them.
func NewFormat(own ...string) *Format {
	return &Format{flags: genericclioptions.NewPrintFlags(""), own: own}
}

// AddTo adds the flags to a command.
func (f *Format) AddTo(cmd *cobra.Command) {
	f.flags.AddFlags(cmd)
	names := strings.Join(f.formatNames(), ", ")
	cmd.Flag("output").Usage = "Output format. One of: " + names + "."
	cmd.Flag("show-managed-fields").Hidden = true
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return f.formatNames(), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("output", complete); err != nil {
		panic(err) // the flag was added above
	}
}

func (f *Format) formatNames() []string {
	formats := f.flags.AllowedFormats()
	slices.Sort(formats)
	return slices.Concat(f.own, slices.Compact(formats))
}

// Name returns the format asked for, empty when none was.
func (f *Format) Name() string { return *f.flags.OutputFormat }

// Text reports whether the command's own text is asked for.
func (f *Format) Text() bool {
	return f.Name() == "" && !f.hasTemplate() || slices.Contains(f.own, f.Name())
}

// hasTemplate reports whether a template was given without -o.
func (f *Format) hasTemplate() bool {
	template := f.flags.TemplatePrinterFlags
	return template != nil && template.TemplateArgument != nil && *template.TemplateArgument != ""
}

// Printer returns the printer of the format. Call it before any work is done,
// so that a wrong format costs nothing.
func (f *Format) Printer() (printers.ResourcePrinter, error) {
	if f.Text() {
		return nil, nil
	}
	p, err := f.flags.ToPrinter()
	if genericclioptions.IsNoCompatiblePrinterError(err) {
		return nil, exit.Usagef("unknown output format %q; the formats are %s", f.Name(), strings.Join(f.formatNames(), ", "))
	}
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	json, err := f.flags.JSONYamlPrintFlags.ToPrinter("json")
	switch strings.ToLower(f.Name()) {
	case "json":
		return jsonPrinter{json}, err
	case "yaml":
		return &yamlPrinter{json: jsonPrinter{json}}, err
	case "kyaml":
		return kyamlPrinter{json: jsonPrinter{json}}, err
	default:
		return p, nil
	}
}

// Print prints objects one after another, as data.
func Print(p printers.ResourcePrinter, w io.Writer, objects ...runtime.Object) error {
	w = Data(w)
	for _, o := range objects {
		if err := p.PrintObj(o, w); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}
