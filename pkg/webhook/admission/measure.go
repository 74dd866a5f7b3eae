package admission

import (
	"errors"
	"strings"

	"gati.dev/gati/pkg/admit/bounds"
)

// The memory of a review with all of its copies. An empty object in a list is a container
// or a volume.
const (
	bytesPerByte   = 5
	bytesPerValue  = 400
	bytesPerStruct = 8 << 10
)

// Measure returns the part of a review that the hooks read, and about how much memory it
// takes. An object's status is cut, because no hook reads it: that of the stored object
// counts. A stored object beyond the limits, of an earlier release, is cut whole: what
// replaces it is checked like a new object, so that it can be mended.
func Measure(review []byte) (rest []byte, memory int64, err error) {
	_, errStored := bounds.Object.Check(bounds.Find(review, "request", "oldObject"))
	rest, err = bounds.Cut(review, func(p *bounds.Place) bool {
		return p.IsAt("request", "object", "status") || errStored != nil && p.IsAt("request", "oldObject")
	})
	if err != nil {
		return nil, 0, err
	}
	n, err := bounds.Object.Check(rest)
	if err != nil {
		return nil, 0, nameField(err)
	}
	return rest, int64(len(review)*bytesPerByte + n.Values*bytesPerValue + n.Structs*bytesPerStruct), nil
}

// nameField names a field of the object as its author knows it.
func nameField(err error) error {
	if at, ok := errors.AsType[*bounds.Error](err); ok {
		return &bounds.Error{Path: strings.TrimPrefix(at.Path, "request.object."), Problem: at.Problem}
	}
	return err
}
