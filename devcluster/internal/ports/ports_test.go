package ports

import (
	"fmt"
	"net"
	"testing"
)

func TestReserve(t *testing.T) {
	names := []string{"a", "b", "c"}
	one, err := Reserve(names...)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := Reserve(names...)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	seen := map[int]bool{}
	for _, reserved := range []*Reservation{one, two} {
		for name, port := range reserved.Numbers() {
			if seen[port] {
				t.Errorf("%s: port %d was given out twice", name, port)
			}
			seen[port] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d ports, want 6", len(seen))
	}
}

func TestRelease(t *testing.T) {
	reserved, err := Reserve("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	defer reserved.Close()
	numbers := reserved.Numbers()
	reserved.Release("a")
	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", Loopback, numbers["a"]))
	if err != nil {
		t.Errorf("the released port cannot be taken: %v", err)
	} else {
		listener.Close()
	}
	_, err = net.Listen("tcp", fmt.Sprintf("%s:%d", Loopback, numbers["b"]))
	if err == nil {
		t.Fatal("the held port can be taken")
	}
	if !Taken(err.Error()) {
		t.Errorf("%q is not seen as a taken port", err)
	}
}
