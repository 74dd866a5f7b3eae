package guard

import (
	"context"
	"net/http"
	"time"
)

const (
	// maxTimeLimit bounds a call without a deadline of its caller. It is the API
	// server's own for conversion.
	maxTimeLimit = 30 * time.Second
	// answerMargin is left for the answer's way back.
	answerMargin = 500 * time.Millisecond
)

// withDeadline limits the call to the timeout that the API server names in the
// query, less a margin. It also bounds the reading of the body, so that a slow
// sender does not hold room.
func withDeadline(w http.ResponseWriter, r *http.Request) (*http.Request, context.CancelFunc) {
	limit := timeLimit(r.URL.Query().Get("timeout"))
	// Only writers of tests have no deadlines.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	return r.WithContext(ctx), cancel
}

func timeLimit(text string) time.Duration {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > maxTimeLimit {
		limit = maxTimeLimit
	}
	return limit - min(answerMargin, limit/4)
}
