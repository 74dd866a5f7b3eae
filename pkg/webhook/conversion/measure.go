package conversion

import "gati.dev/gati/pkg/admit/bounds"

// Limits of a review and of each of its objects. What etcd stores of an object, 1.5 MiB,
// has fewer values, so that every stored object is converted.
const (
	maxObjects      = 10_000
	maxObjectValues = 600_000
	maxValues       = 2_000_000
)

// The memory of a review: its text and the answer, and the values of one object, because
// the objects are converted one by one.
const (
	bytesPerByte  = 3
	bytesPerValue = 160
)

// Measure returns a review, and about how much memory its conversion takes.
func Measure(review []byte) (rest []byte, memory int64, err error) {
	most, begin := 0, 0
	err = bounds.Scan(review, func(p *bounds.Place) error {
		if isObject := p.Depth() == 3 && string(p.Key(0)) == "request" && string(p.Key(1)) == "objects"; isObject || p.Depth() < 3 {
			begin = p.Values()
		}
		if p.Depth() == 3 && p.Items() > maxObjects {
			return p.Errorf("more than %d objects, which is the most that is converted at once", maxObjects)
		}
		if p.Values() > maxValues {
			return p.Errorf("the review has more than %d values up to here, which is the most that is converted at once", maxValues)
		}
		if most = max(most, p.Values()-begin); most > maxObjectValues {
			return p.Errorf("more than %d values, which is the most that is converted", maxObjectValues)
		}
		return nil
	})
	return review, int64(len(review))*bytesPerByte + int64(most)*bytesPerValue, err
}
