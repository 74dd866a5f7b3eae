package sandbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestParseCgroupMounts(t *testing.T) {
	tests := map[string]struct {
		mounts string
		want   []string
	}{
		"version 2": {"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", []string{"/sys/fs/cgroup"}},
		"both": {`tmpfs /sys/fs/cgroup tmpfs rw 0 0
cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
proc /proc proc rw 0 0
`, []string{"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"}},
		"none": {"proc /proc proc rw 0 0", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := parseCgroupMounts(test.mounts); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParseRoutes(t *testing.T) {
	hex := func(address string) string {
		bytes := netip.MustParseAddr(address).As4()
		return fmt.Sprintf("%08X", uint32(bytes[0])|uint32(bytes[1])<<8|uint32(bytes[2])<<16|uint32(bytes[3])<<24)
	}
	if len(nativeBytes(1)) != 4 || nativeBytes(1)[0] != 1 {
		t.Skip("the table of this test is that of a little-endian machine")
	}
	line := func(to, mask string) string {
		return strings.Join([]string{"eth0", hex(to), hex("192.0.2.1"), "0003", "0", "0", "0", hex(mask), "0", "0", "0"}, "\t")
	}
	table := strings.Join([]string{
		"Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT",
		line("0.0.0.0", "0.0.0.0"), line("192.0.2.0", "255.255.255.0"), line("10.96.0.0", "255.252.0.0"), "",
	}, "\n")
	want := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("10.96.0.0/14")}
	if got := parseRoutes(table); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestClaimAvoidsWhatIsInUse(t *testing.T) {
	used, err := usedRanges()
	if err != nil {
		t.Fatal(err)
	}
	free := []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}
	taken := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}
	if len(used) > 0 {
		_, err := Claim("m", func(int) []netip.Prefix { return taken })
		if err == nil || !strings.Contains(err.Error(), "take a cluster down first") {
			t.Errorf("everything is in use, and the answer is %v", err)
		}
	}
	m, err := Claim("marker", func(slot int) []netip.Prefix {
		if slot < 3 && len(used) > 0 {
			return taken
		}
		return free
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(used) > 0 && m.Slot < 3 {
		t.Errorf("slot %d is in use", m.Slot)
	}
	if m.Link != linkName(m.Slot) || m.Cgroup != "gati-marker" || m.MAC != macOf("marker") {
		t.Errorf("got %+v", m)
	}
}

func TestNamesAreTheRunsOwn(t *testing.T) {
	if macOf("a") == macOf("b") {
		t.Error("two runs have the same address")
	}
	if !strings.HasPrefix(macOf("a"), "02:") {
		t.Errorf("%s may be that of a network card", macOf("a"))
	}
}

func TestMissing(t *testing.T) {
	needs := []Need{
		{[]string{"sh"}, "dash"},
		{[]string{"/no/such/file", "sh"}, "dash"},
		{[]string{"no-such-program"}, "one"},
		{[]string{"/no/such/file"}, "two"},
		{[]string{"no-such-program-either"}, "one"},
	}
	if got := missingPackages(needs); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %v", got)
	}
}

func TestEnter(t *testing.T) {
	path, args := Enter(7, "/bin/x", []string{"-v"})
	if got := path + " " + strings.Join(args, " "); got != "nsenter --target=7 --net --mount -- /bin/x -v" {
		t.Errorf("got %q", got)
	}
}
