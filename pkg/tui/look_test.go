package tui

import (
	"image/color"
	"math"
	"testing"

	"gati.dev/gati/internal/testing/statustest"
)

// TestASCII holds that with ASCII alone a view has nothing else, and keeps its form.
func TestASCII(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		for view, m := range views(objs) {
			m.ascii = true
			for _, m := range []Model{m, press(m, "?")} {
				got := plain(m)
				for _, r := range got {
					if r >= 0x80 {
						t.Fatalf("%s, %s: %q\n%s", name, view, r, got)
					}
				}
				fits(t, got, 80, 24)
			}
		}
	}
	for r, plain := range plainSigns {
		if len(plain) != 1 {
			t.Errorf("%q becomes %q, which is not as wide", r, plain)
		}
	}
	if got := toASCII("é → 日本"); got != "? > ????" {
		t.Errorf("got %q", got)
	}
}

// TestColoursDiffer holds that the colours that say something differ for people who
// lack one kind of cones as well. The matrices are those of Machado, Oliveira and
// Fernandes (2009) at full severity; a distance of 20 in CIELAB is plain to see.
func TestColoursDiffer(t *testing.T) {
	sights := map[string][3][3]float64{
		"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
	colors := map[string]color.Color{"good": goodColor, "busy": busyColor, "bad": badColor}
	for sight, matrix := range sights {
		for a, one := range colors {
			for b, other := range colors {
				if d := distance(lab(one, matrix), lab(other, matrix)); a < b && d < 20 {
					t.Errorf("%s: %s and %s are only %.0f apart", sight, a, b, d)
				}
			}
		}
	}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// lab is a colour in CIELAB, as it is seen.
func lab(c color.Color, sight [3][3]float64) [3]float64 {
	r, g, b, _ := c.RGBA()
	rgb := [3]float64{linear(r), linear(g), linear(b)}
	var seen [3]float64
	for i := range seen {
		for j := range rgb {
			seen[i] += sight[i][j] * rgb[j]
		}
		seen[i] = min(1, max(0, seen[i]))
	}
	f := func(x, y, z, white float64) float64 {
		v := (x*seen[0] + y*seen[1] + z*seen[2]) / white
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x, y, z := f(0.4124, 0.3576, 0.1805, 0.9505), f(0.2126, 0.7152, 0.0722, 1), f(0.0193, 0.1192, 0.9505, 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func linear(v uint32) float64 {
	c := float64(v) / 0xffff
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func TestSpark(t *testing.T) {
	for want, values := range map[string][]float64{
		"": nil, "▄": {7}, "▄▄▄": {2, 2, 2}, "▁▄█": {0, 5, 10}, "█▁": {1, -1},
	} {
		if got := drawSeries(values); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"99.2 %": 99.2, "190 ms": 190, "1.5 s": 1500, "-3": -3} {
		if got, ok := parseNumber(text); !ok || got != want {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "nothing", "about 3"} {
		if got, ok := parseNumber(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestTrendIsBounded holds that a series neither grows without end nor outlives its
// rollout.
func TestTrendIsBounded(t *testing.T) {
	m := measuredOften()
	for range 10 {
		m.trends = m.trends.withSnapshot(&m.snap)
	}
	h := m.focusedHandler()
	if n := len(m.trends[seriesKey(h, "p99 latency")].values); n != 7 {
		t.Errorf("%d values of 7 measurements", n)
	}
	over := m.snap
	over.Handlers[0].Rollout.Analysis = nil
	if n := len(m.trends.withSnapshot(&over)); n != 0 {
		t.Errorf("%d series of a rollout that is over", n)
	}
}
