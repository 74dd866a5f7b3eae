package machine

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/devcluster/internal/control"
)

var update = flag.Bool("update", false, "write the golden files")

func testLayout() Layout {
	return Layout{
		Dir: "/dc", Assets: "/assets", Slot: 1, Link: "gati1", MAC: "02:00:00:00:00:01", Cgroup: "gati-m",
		Ports: map[string]int{
			control.APIServer: 40001, MetricsServer: 40002, gatewayPort: 40003, traefik: 40004, prometheus: 40005, podTargets: 40006,
		},
	}
}

// golden compares with a file that a reader can look at.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run the test with -update and read the diff\n%s", path, got)
	}
}

func TestFiles(t *testing.T) {
	l := testLayout()
	files, err := l.Files()
	if err != nil {
		t.Fatal(err)
	}
	more, err := l.prometheusFiles(true)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range more {
		files[name] = content
	}
	for name, content := range files {
		if filepath.Base(name) != keep {
			golden(t, filepath.Base(name), string(content))
		}
	}
}

func TestManifests(t *testing.T) {
	for _, m := range []Manifest{MetricsServerManifest, DNSManifest, TraefikAddon.Manifest, PrometheusAddon(true).Manifest, PoliciesAddon.Manifest, KEDAAddon.Manifest, RuntimeClassManifest} {
		content, err := testLayout().Render(m, []byte("CA"))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "manifests/"+m.name, string(content))
	}
}

func TestSetup(t *testing.T) {
	var out strings.Builder
	for _, step := range testLayout().Setup(42) {
		where := "machine"
		if step.Inside {
			where = "node"
		}
		fmt.Fprintf(&out, "%-8s %s\n", where, strings.Join(step.Args, " "))
	}
	golden(t, "setup.txt", out.String())
}

func TestComponents(t *testing.T) {
	l := testLayout()
	var out strings.Builder
	for _, c := range slices.Concat(l.Components(), TraefikAddon.Components(l), PrometheusAddon(true).Components(l), PoliciesAddon.Components(l), KEDAAddon.Components(l)) {
		fmt.Fprintf(&out, "%s after %v inside %q\n  %s\n", c.Name, c.After, c.Inside, c.Path)
		for _, arg := range c.Args {
			fmt.Fprintf(&out, "    %s\n", arg)
		}
		fmt.Fprintf(&out, "  %s%s\n", c.URL, c.Health)
	}
	golden(t, "components.txt", out.String())
}

// Each file that is read is written, too.
func TestComponentsReadOnlyFilesThatExist(t *testing.T) {
	l := testLayout()
	files, err := l.Files()
	if err != nil {
		t.Fatal(err)
	}
	known := []string{control.PKIDir + "/ca.crt"}
	for name := range files {
		known = append(known, name)
	}
	for _, client := range l.Clients() {
		known = append(known, control.KubeconfigFile("", client.File))
		if len(client.Subject.Hosts) > 0 {
			known = append(known, control.PKIDir+"/"+client.File+".crt", control.PKIDir+"/"+client.File+".key")
		}
	}
	for _, c := range l.Components() {
		for _, arg := range c.Args {
			_, value, found := strings.Cut(arg, "=")
			if !found {
				value = arg
			}
			if name, inside := strings.CutPrefix(value, "/dc/"); inside && !slices.Contains(known, name) {
				t.Errorf("%s reads %s, which no code writes", c.Name, name)
			}
		}
	}
}

func TestSlotsDoNotOverlap(t *testing.T) {
	simulated := netip.MustParsePrefix("10.128.0.0/9")
	var all []netip.Prefix
	for slot := range 8 {
		for _, r := range Ranges(slot) {
			if r != r.Masked() || r.Overlaps(simulated) {
				t.Errorf("slot %d has the range %s", slot, r)
			}
			for _, other := range all {
				if r.Overlaps(other) {
					t.Errorf("slot %d: %s overlaps %s", slot, r, other)
				}
			}
			all = append(all, r)
		}
	}
}

// Two real nodes beside each other: nothing that they name is the same, apart
// from what lies in their own namespaces.
func TestAddressesAreInTheirRanges(t *testing.T) {
	for slot := range 8 {
		l := Layout{Slot: slot}
		ranges := Ranges(slot)
		for i, address := range []string{l.Host(), "", l.DNSAddress()} {
			if address != "" && !ranges[i].Contains(netip.MustParseAddr(address)) {
				t.Errorf("slot %d: %s is not in %s", slot, address, ranges[i])
			}
		}
	}
}
