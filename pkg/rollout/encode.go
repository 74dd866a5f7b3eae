package rollout

import (
	"fmt"
	"strconv"
	"strings"
)

// An Input can be written as JSON and read again, as pkg/rollout/replay does. Here are the
// parts that JSON has no form for: keys of two names, and bounds that are infinite.

const hopArrow = "→"

// MarshalText implements encoding.TextMarshaler.
func (h Hop) MarshalText() ([]byte, error) { return []byte(h.From + hopArrow + h.To), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hop) UnmarshalText(text []byte) (err error) {
	h.From, h.To, err = cutPair(text, hopArrow)
	return err
}

const bucketSign = "="

// MarshalText implements encoding.TextMarshaler.
func (b Bucket) MarshalText() ([]byte, error) {
	text := strconv.AppendFloat(nil, b.Bound, 'g', -1, 64)
	return strconv.AppendInt(append(text, bucketSign...), b.Count, 10), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bucket) UnmarshalText(text []byte) error {
	bound, count, err := cutPair(text, bucketSign)
	if err != nil {
		return err
	}
	if b.Bound, err = strconv.ParseFloat(bound, 64); err != nil {
		return err
	}
	b.Count, err = strconv.ParseInt(count, 10, 64)
	return err
}

func cutPair(text []byte, sign string) (before, after string, err error) {
	before, after, found := strings.Cut(string(text), sign)
	if !found {
		return "", "", fmt.Errorf("%q has no %s", text, sign)
	}
	return before, after, nil
}
