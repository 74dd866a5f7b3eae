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
	// answerTime bounds the writing of an answer.
	answerTime = 10 * time.Second
)

// withDeadline limits the call to the timeout that the API server names in the
// query, less a margin.
func withDeadline(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), timeLimit(r.URL.Query().Get("timeout")))
	return r.WithContext(ctx), cancel
}

func timeLimit(text string) time.Duration {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > maxTimeLimit {
		limit = maxTimeLimit
	}
	return limit - min(answerMargin, limit/4)
}
