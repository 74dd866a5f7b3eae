package ports

import (
	"fmt"
	"net"
	"os"
	"testing"
)

// The kernel gives a port that was closed again to the next who asks: of 500 asked for
// one after the other, some come twice.
func TestNoPortIsTakenTwice(t *testing.T) {
	taken := map[int]bool{}
	for range 500 {
		port, err := Take()
		if err != nil {
			t.Fatal(err)
		}
		if taken[port] {
			t.Fatalf("port %d was taken twice", port)
		}
		taken[port] = true
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			t.Fatalf("a program cannot listen: %v", err)
		}
		_ = l.Close()
	}
}

func TestPortsInUseAreNotTaken(t *testing.T) {
	port, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	if takePort(port) {
		t.Error("a claimed port was taken")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if takePort(l.Addr().(*net.TCPAddr).Port) {
		t.Error("a port at which something listens was taken")
	}
}

// An outgoing connection gets its port from the kernel's range, which must not reach
// those taken here.
func TestOutgoingConnectionsHaveOtherPorts(t *testing.T) {
	const file = "/proc/sys/net/ipv4/ip_local_port_range"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("only Linux tells its range: %v", err)
	}
	var from, to int
	if _, err := fmt.Sscan(string(text), &from, &to); err != nil {
		t.Fatal(err)
	}
	if from <= highest && to >= lowest {
		t.Errorf("%s is %d to %d, and taken ports are %d to %d: set net.ipv4.ip_local_port_range beside them", file, from, to, lowest, highest)
	}
}
