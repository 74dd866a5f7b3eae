package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// firstChunk is read of a body before anything is known to arrive.
	firstChunk = 4 << 10
	// maxChunk bounds one read.
	maxChunk = 256 << 10
)

// Body is a request's body that has arrived whole. Reading it gives its memory back.
type Body struct {
	chunks [][]byte
	length int64
}

// ReadBody reads a body of at most a length. It holds room for what has arrived and as
// much again at most, whatever length the caller announces. The error is a BodyError.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) (*Body, error) {
	control := http.NewResponseController(w)
	// Only writers of tests have no deadlines.
	x, patience := arrivalOfRequest(r.Context())
	_ = control.SetReadDeadline(time.Now().Add(patience))
	body, err := readChunks(x, http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return nil, newBodyError(err, patience)
	}
	// A deadline that passes later would end the request's context.
	_ = control.SetReadDeadline(time.Time{})
	return body, nil
}

// arrivalOfRequest returns the arrival of a request, nil in a test without a server, and
// how long its body may take.
func arrivalOfRequest(ctx context.Context) (*arrival, time.Duration) {
	if x, ok := ctx.Value(arrivalKey{}).(*arrival); ok {
		return x, x.in.patience
	}
	return nil, arrivalTime
}

func readChunks(x *arrival, from io.Reader) (*Body, error) {
	body := &Body{}
	for {
		chunk := make([]byte, min(max(body.length, firstChunk), maxChunk))
		if x != nil {
			x.take(int64(len(chunk)))
		}
		n, err := fill(chunk, from)
		if n > 0 {
			body.chunks = append(body.chunks, chunk[:n])
			body.length += int64(n)
		}
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// fill reads until a chunk is full. Unlike io.ReadFull it keeps the end of a body apart
// from a body that was cut off.
func fill(chunk []byte, from io.Reader) (n int, err error) {
	for n < len(chunk) && err == nil {
		var more int
		more, err = from.Read(chunk[n:])
		n += more
	}
	return n, err
}

// Settle ends the arrival of a request: from now on its work is counted elsewhere.
func Settle(ctx context.Context) {
	if x, _ := arrivalOfRequest(ctx); x != nil {
		x.settle()
	}
}

// Len returns the length of the whole body.
func (b *Body) Len() int64 { return b.length }

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	if len(b.chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.chunks[0])
	if b.chunks[0] = b.chunks[0][n:]; len(b.chunks[0]) == 0 {
		b.chunks = b.chunks[1:]
	}
	return n, nil
}

// Close implements io.Closer.
func (b *Body) Close() error {
	b.chunks = nil
	return nil
}

// BodyError is why a body did not arrive.
type BodyError struct {
	// Status is the HTTP status of the answer.
	Status int
	Err    error
}

func (e *BodyError) Error() string { return e.Err.Error() }

func newBodyError(err error, patience time.Duration) *BodyError {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &BodyError{http.StatusRequestEntityTooLarge, fmt.Errorf("the review is larger than %d bytes, which is the most that is read", large.Limit)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &BodyError{http.StatusRequestTimeout, fmt.Errorf("the review did not arrive within %s", patience)}
	default:
		return &BodyError{http.StatusBadRequest, fmt.Errorf("read the review: %w", err)}
	}
}
