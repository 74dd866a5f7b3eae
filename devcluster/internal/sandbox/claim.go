package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"gati.dev/gati/devcluster/internal/state"
)

// Slots is how many clusters with a real node there is room for on a machine.
const Slots = 8

// Claim chooses addresses that the machine does not use, and names that no other
// run has: they follow from the run's marker.
func Claim(marker string, ranges func(slot int) []netip.Prefix) (*state.Machine, error) {
	used, err := usedRanges()
	if err != nil {
		return nil, err
	}
	for slot := range Slots {
		link := linkName(slot)
		if _, err := net.InterfaceByName(link); err == nil || overlapsAny(used, ranges(slot)) {
			continue
		}
		return &state.Machine{Slot: slot, Link: link, MAC: macOf(marker), Cgroup: cgroupPrefix + marker}, nil
	}
	return nil, fmt.Errorf("there is no room for another cluster with a real node: each of the %d ranges of addresses, %s and so on, is in use by a cluster or a network of this machine (see ip route); take a cluster down first", Slots, ranges(0)[0])
}

func linkName(slot int) string { return "gati" + strconv.Itoa(slot) }

// macOf returns an address that only this run has. The second lowest bit of the
// first byte marks it as locally administered.
func macOf(marker string) string {
	sum := sha256.Sum256([]byte(marker))
	return net.HardwareAddr(append([]byte{0x02}, sum[:5]...)).String()
}

func overlapsAny(used, wanted []netip.Prefix) bool {
	for _, a := range used {
		for _, b := range wanted {
			if a.Overlaps(b) {
				return true
			}
		}
	}
	return false
}

// usedRanges returns where the machine's routes lead, the default route apart.
func usedRanges() ([]netip.Prefix, error) {
	table, err := os.ReadFile("/proc/net/route")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for addresses in use: %w", err)
	}
	return parseRoutes(string(table)), nil
}

// parseRoutes reads destination and mask, which are hexadecimal and in the
// machine's byte order.
func parseRoutes(table string) []netip.Prefix {
	var used []netip.Prefix
	for _, line := range strings.Split(table, "\n") {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			continue
		}
		destination, err1 := strconv.ParseUint(fields[1], 16, 32)
		mask, err2 := strconv.ParseUint(fields[7], 16, 32)
		if err1 != nil || err2 != nil || mask == 0 {
			continue
		}
		ones, _ := net.IPMask(nativeBytes(mask)).Size()
		used = append(used, netip.PrefixFrom(netip.AddrFrom4([4]byte(nativeBytes(destination))), ones))
	}
	return used
}

func nativeBytes(n uint64) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(n)) }
