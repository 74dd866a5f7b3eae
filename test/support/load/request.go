package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

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

// request fills in the request of that number. It depends on the seed and the
// number alone: requests may be asked for in any order.
func (c Config) request(number uint64, target *vegeta.Target) {
	to := c.Targets[number%uint64(len(c.Targets))]
	turn := number / uint64(len(c.Targets))
	order := rand.New(rand.NewPCG(c.Seed, turn/4)).Perm(4)
	kind := kinds[order[turn%4]]
	user := 1 + rand.New(rand.NewPCG(c.Seed, ^number)).IntN(users)

	target.Method, target.URL = kind.method, to.URL
	if strings.Contains(to.URL, "%d") {
		target.URL = fmt.Sprintf(to.URL, user)
	}
	target.Header = http.Header{}
	for name, value := range to.Header {
		target.Header.Set(name, value)
	}
	if to.Host != "" {
		target.Header.Set("Host", to.Host)
	}
	if kind.connection != "" {
		target.Header.Set(connectionHeader, kind.connection)
	}
	if kind.method == http.MethodPost {
		target.Header.Set("Content-Type", "application/json")
		target.Body = fmt.Appendf(nil, `{"number":%d,"note":%q}`, number, strings.Repeat("x", user))
	}
}
