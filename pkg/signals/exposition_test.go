package signals

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// fuzzed are the families that the fuzz test reads.
var fuzzed = map[string]bool{"gati_http_requests_total": true, "gati_active_connections": true, loadedFamily: true, "a": true}

// FuzzReadSamples holds that what Prometheus' own parser reads of the families is read
// alike, and that no text is too much.
func FuzzReadSamples(f *testing.F) {
	text, err := os.ReadFile("testdata/runtime.prom")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(counter(30, 5, 2))
	f.Add("# TYPE a gauge\n  a { x = \"1\\\"\\\\\\n}\" , y=\"\" ,} +Inf 1700000000\na NaN\n\n# HELP a b\nb 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		var got []string
		err := readSamples(strings.NewReader(text), fuzzed, func(s *sample) error {
			var labels []string
			for _, l := range s.labels {
				labels = append(labels, fmt.Sprintf("%s=%q", l.name, l.value))
			}
			slices.Sort(labels)
			got = append(got, fmt.Sprint(s.family, labels, s.value))
			return nil
		})
		// A sample without a name makes expfmt panic, and one in quotes is not of ours.
		if len(text) > maxLine || regexp.MustCompile(`(?m)^[ \t]*{|{[ \t]*"|,[ \t]*"`).MatchString(text) {
			return
		}
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, bad := parser.TextToMetricFamilies(strings.NewReader(text))
		if bad != nil {
			return // It is not for us to say what is no text of metrics.
		}
		var want []string
		for name, family := range families {
			if !fuzzed[name] {
				continue
			}
			for _, m := range family.GetMetric() {
				v, plain := valueOf(m)
				if !plain {
					return // A histogram or summary named like ours has no such samples.
				}
				want = append(want, fmt.Sprint(name, labelsOf(m), v))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: read %q and %v, want %q", text, got, err, want)
		}
	})
}

func valueOf(m *dto.Metric) (float64, bool) {
	switch {
	case m.Counter != nil:
		return m.GetCounter().GetValue(), true
	case m.Gauge != nil:
		return m.GetGauge().GetValue(), true
	case m.Untyped != nil:
		return m.GetUntyped().GetValue(), true
	}
	return 0, false
}

func labelsOf(m *dto.Metric) (out []string) {
	for _, l := range m.GetLabel() {
		out = append(out, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	slices.Sort(out)
	return out
}
