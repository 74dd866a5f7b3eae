package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// request is one that is to be sent.
type request struct {
	method, url string
	header      http.Header
	body        []byte
}

// connectionHeader tells the transport which connections a request may use; it
// is not sent.
const connectionHeader = "X-Load-Connection"

const fresh = "fresh"

// kinds are the four kinds of requests: with and without a body, on a kept and on
// a fresh connection. In each block of four requests to a target each kind comes
// once, in an order of its own, so that halves are halves over any run.
var kinds = [4]struct {
	method     string
	connection string
}{
	{http.MethodGet, ""}, {http.MethodPost, ""}, {http.MethodGet, fresh}, {http.MethodPost, fresh},
}

// users is how many users are asked for.
const users = 1000

// newRequest returns the request of a number. It depends on the seed and the number alone:
// requests may be asked for in any order.
func (c Config) newRequest(number uint64) request {
	to := c.Targets[number%uint64(len(c.Targets))]
	turn := number / uint64(len(c.Targets))
	order := rand.New(rand.NewPCG(c.Seed, turn/4)).Perm(4)
	kind := kinds[order[turn%4]]
	if c.ReadOnly {
		kind.method = http.MethodGet
	}
	user := 1 + rand.New(rand.NewPCG(c.Seed, ^number)).IntN(users)

	out := request{method: kind.method, url: to.URL, header: http.Header{}}
	if strings.Contains(to.URL, "%d") {
		out.url = fmt.Sprintf(to.URL, user)
	}
	for name, value := range to.Header {
		out.header.Set(name, value)
	}
	if to.Host != "" {
		out.header.Set("Host", to.Host)
	}
	if kind.connection != "" {
		out.header.Set(connectionHeader, kind.connection)
	}
	if kind.method == http.MethodPost {
		out.header.Set("Content-Type", "application/json")
		if c.Body != nil {
			out.body = c.Body(number)
		} else {
			out.body = fmt.Appendf(nil, `{"number":%d,"note":%q}`, number, strings.Repeat("x", user))
		}
	}
	return out
}
