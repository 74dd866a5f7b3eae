package guard

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// piece is memory of bodies. It is reused: otherwise a series of refused bodies would leave
// garbage of twice the memory that they may hold.
type piece [16 << 10]byte

var pieces = sync.Pool{New: func() any { return new(piece) }}

// arrivedBody is a body in pieces, as it arrives.
type arrivedBody struct {
	pieces []*piece
	length int
}

// readBody reads until the end. The caller frees the body, whatever the error.
func (b *arrivedBody) readBody(from io.Reader) error {
	for {
		p, _ := pieces.Get().(*piece)
		b.pieces = append(b.pieces, p)
		n, err := io.ReadFull(from, p[:])
		b.length += n
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil // One that was cut off has no caller any more.
		case err != nil:
			return err
		}
	}
}

// joinPieces returns the whole body.
func (b *arrivedBody) joinPieces() []byte {
	out := make([]byte, 0, b.length)
	for _, p := range b.pieces {
		out = append(out, p[:min(len(p), b.length-len(out))]...)
	}
	return out
}

// freePieces gives the pieces back; a second call does nothing.
func (b *arrivedBody) freePieces() {
	for _, p := range b.pieces {
		pieces.Put(p)
	}
	b.pieces = nil
}

// body is a body that was read; Bytes returns the rest of it without a copy.
type body struct{ *bytes.Buffer }

// Close implements io.Closer.
func (body) Close() error { return nil }
