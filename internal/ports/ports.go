// Package ports finds TCP ports of the loopback address for programs that are started
// next. It must not know who uses them.
//
// Asking the kernel for any free port is not enough: until the program listens, the kernel
// may give the same port to another process or to an outgoing connection.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Taken ports lie below those that the kernel gives away, which begin at 32768 on Linux
// and at 49152 elsewhere, and below the node ports of Kubernetes.
const lowest, highest = 20000, 29999

// held are the claims of this process, released when it ends.
var held struct {
	sync.Mutex
	claims []net.PacketConn
}

// Take returns a port at which nothing listens and which no other call, in this process
// or in another, returns until this process ends.
func Take() (int, error) {
	count := highest - lowest + 1
	first := rand.IntN(count)
	for i := range count {
		if port := lowest + (first+i)%count; takePort(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("every port of 127.0.0.1 from %d to %d is in use", lowest, highest)
}

// takePort claims a port by holding the UDP port of the same number, which leaves the TCP
// port to the program.
func takePort(port int) bool {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	claim, err := net.ListenPacket("udp4", address)
	if err != nil {
		return false
	}
	listener, err := net.Listen("tcp4", address)
	if err != nil {
		_ = claim.Close()
		return false
	}
	_ = listener.Close()
	held.Lock()
	defer held.Unlock()
	held.claims = append(held.claims, claim)
	return true
}
