package load

import (
	"io"
	"net"
	"net/http"
	"time"
)

// transport sends each request once, on a kept or on a fresh connection.
type transport struct{ kept, fresh *http.Transport }

func newTransport() transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	one := func(fresh bool) *http.Transport {
		return &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: fresh, DisableCompression: true,
			MaxIdleConnsPerHost: 1000, IdleConnTimeout: 90 * time.Second,
		}
	}
	return transport{kept: one(false), fresh: one(true)}
}

// RoundTrip sends a request with a body that cannot be read twice. Go's client
// would otherwise send a GET again, and say nothing, when the connection breaks
// before the answer: exactly what the tests look for.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	once := request.Clone(request.Context())
	once.Body, once.GetBody = hideBodyType(request), nil
	to := t.kept
	if once.Header.Get(connectionHeader) == fresh {
		to = t.fresh
	}
	once.Header.Del(connectionHeader)
	return to.RoundTrip(once)
}

// hideBodyType hides what a body is. An empty one is sent as none, but only the
// transport finds out that it is empty.
func hideBodyType(request *http.Request) io.ReadCloser {
	if request.Body == nil || request.Body == http.NoBody {
		return struct{ io.ReadCloser }{http.NoBody}
	}
	return struct{ io.ReadCloser }{request.Body}
}

func (t transport) close() {
	t.kept.CloseIdleConnections()
	t.fresh.CloseIdleConnections()
}
