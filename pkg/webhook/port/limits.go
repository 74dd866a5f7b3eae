package port

import "time"

const (
	kib = 1 << 10
	mib = 1 << 20

	// arrivalTime bounds the handshake, the header and the body of a request, each.
	// The API server sends all of them at once.
	arrivalTime = 10 * time.Second
	// callTime bounds a request with its answer: the longest call of the API server, and
	// time for an answer of many objects.
	callTime = 45 * time.Second
	// idleTime is how long a connection is kept for the next request. The API server
	// closes its own after 90 s, and must be first: a call could meet our close.
	idleTime = 100 * time.Second
	// maxHeader bounds a request's header. The API server's have less than 1 KiB.
	maxHeader = 16 * kib

	// connectionCost is about what an idle TLS connection takes.
	connectionCost = 32 * kib
	// arrivalRoom and peerShare bound what has not arrived whole. The share has room for
	// the 600 calls that an API server makes at once by default, each of 64 KiB.
	arrivalRoom = 96 * mib
	peerShare   = 64 * mib
)
