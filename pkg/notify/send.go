package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

const (
	// sendTimeout bounds one try.
	sendTimeout = 10 * time.Second
	// retryFirst and retryLast bound the delay after a failed try; maxRetryAfter bounds the
	// delay that a sink may request.
	retryFirst, retryLast = time.Second, time.Minute
	maxRetryAfter         = 5 * time.Minute
)

// refusals are answers to the notification itself, which no repetition changes.
var refusals = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}

// sendError is a try that failed.
type sendError struct {
	err error
	// isFinal is true where no other try can succeed; after is how long the sink wants
	// to be left alone.
	isFinal bool
	after   time.Duration
}

func (e *sendError) Error() string { return e.err.Error() }
func (e *sendError) Unwrap() error { return e.err }

// newHTTPClient follows no redirects: the operator named the address.
func newHTTPClient() *http.Client {
	return &http.Client{Timeout: sendTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// sendEvent tries to deliver an event once.
func sendEvent(ctx context.Context, c *http.Client, s Sink, secrets string, e Event) error {
	address, err := s.readAddress(secrets)
	if err != nil {
		return err
	}
	body, mediaType, err := formatPayload(s.Format, e)
	if err != nil {
		return &sendError{err: err, isFinal: true}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("make the request: the address is not valid")
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("Gati-Event-Id", e.ID)
	answer, err := c.Do(r)
	if err != nil {
		return withoutAddress(err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection is used again
	if answer.StatusCode/100 == 2 {
		return nil
	}
	return &sendError{
		err:     fmt.Errorf("the sink answers %s", answer.Status),
		isFinal: slices.Contains(refusals, answer.StatusCode), after: retryAfter(answer.Header.Get("Retry-After")),
	}
}

// withoutAddress drops the address from an error: it may be a secret.
func withoutAddress(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("send: %w", wrapped.Err)
	}
	return err
}

func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}

// retryDelay returns how long to wait after so many failed tries in a row.
func retryDelay(tries int, err error) time.Duration {
	if failed, ok := errors.AsType[*sendError](err); ok && failed.after > 0 {
		return failed.after
	}
	return min(retryFirst<<min(tries-1, 6), retryLast)
}
