package guard

import (
	"context"
	"net/http"
	"time"
)

const (
	// longest bounds a call whose caller names no deadline. It is the API
	// server's own for conversion.
	longest = 30 * time.Second
	// margin is left for the answer to get back.
	margin = 500 * time.Millisecond
)

// withDeadline gives the call the time that its caller waits, which the API
// server names in the query, less a margin. It also bounds the reading of the
// body, so that a slow sender does not keep room from others.
func withDeadline(w http.ResponseWriter, r *http.Request) (*http.Request, context.CancelFunc) {
	limit := timeLimit(r.URL.Query().Get("timeout"))
	// A writer without deadlines is one of a test.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	return r.WithContext(ctx), cancel
}

func timeLimit(text string) time.Duration {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > longest {
		limit = longest
	}
	return limit - min(margin, limit/4)
}
