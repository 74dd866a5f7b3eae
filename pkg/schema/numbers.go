package schema

import (
	"math/big"
	"slices"
)

// span is what is known of a number.
type span struct {
	low, high         *big.Rat // nil without bound
	lowOpen, highOpen bool
	step              *big.Rat // every number is a multiple of it; nil for any
}

func spanOf(st *state) span {
	var s span
	for _, a := range st.atoms {
		s.bound(a)
	}
	if st.kind == kindInteger {
		s.step = commonMultiple(s.step, big.NewRat(1, 1))
	}
	return s
}

func (s *span) bound(a atom) {
	switch a.op {
	case opMin, opMinOpen:
		s.above(a.rat, a.op == opMinOpen)
	case opMax, opMaxOpen:
		s.below(a.rat, a.op == opMaxOpen)
	case opMultiple:
		s.step = commonMultiple(s.step, a.rat)
	}
}

func (s *span) above(r *big.Rat, open bool) {
	c := 1
	if s.low != nil {
		c = r.Cmp(s.low)
	}
	if c > 0 {
		s.low, s.lowOpen = r, open
	} else if c == 0 {
		s.lowOpen = s.lowOpen || open
	}
}

func (s *span) below(r *big.Rat, open bool) {
	c := -1
	if s.high != nil {
		c = r.Cmp(s.high)
	}
	if c < 0 {
		s.high, s.highOpen = r, open
	} else if c == 0 {
		s.highOpen = s.highOpen || open
	}
}

// empty tells that nothing lies between the bounds.
func (s *span) empty() bool {
	if s.low == nil || s.high == nil {
		return false
	}
	c := s.low.Cmp(s.high)
	return c > 0 || c == 0 && (s.lowOpen || s.highOpen)
}

// maxDigits bounds the binary digits of a common multiple. Beyond them it stays
// what it was: that accepts more numbers than there are, which proves no more.
const maxDigits = 1024

// commonMultiple is the least common multiple of two fractions.
func commonMultiple(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	if a.Num().BitLen() > maxDigits {
		return a
	}
	num := lcm(a.Num(), b.Num())
	den := new(big.Int).GCD(nil, nil, a.Denom(), b.Denom())
	return new(big.Rat).SetFrac(num, den)
}

func lcm(a, b *big.Int) *big.Int {
	gcd := new(big.Int).GCD(nil, nil, a, b)
	return new(big.Int).Mul(new(big.Int).Quo(a, gcd), b)
}

// multiples are the first and last factor of step between the bounds.
func (s *span) multiples() (first, last *big.Int) {
	if s.low != nil {
		q := new(big.Rat).Quo(s.low, s.step)
		first = ceil(q)
		if s.lowOpen && q.IsInt() {
			first.Add(first, one)
		}
	}
	if s.high != nil {
		q := new(big.Rat).Quo(s.high, s.step)
		last = floor(q)
		if s.highOpen && q.IsInt() {
			last.Sub(last, one)
		}
	}
	return first, last
}

var one = big.NewInt(1)

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

func ceil(r *big.Rat) *big.Int {
	if r.IsInt() {
		return new(big.Int).Set(r.Num())
	}
	return floor(r).Add(floor(r), one)
}

// maxTried is how many candidates are tried before a state is left undecided.
const maxTried = 200

func numberLeaf(st *state, g goal) result {
	s := spanOf(st)
	if s.empty() || foreverExcluded(st, s.step) || contradictory(st) {
		return proven
	}
	if s.step == nil {
		return fractions(st, s, g)
	}
	if st.kind == kindFraction && s.step.IsInt() {
		return proven
	}
	first, last := s.multiples()
	if first != nil && last != nil && first.Cmp(last) > 0 {
		return proven
	}
	return stepped(st, s, first, last, g)
}

// foreverExcluded tells that every multiple of step is one that is not wanted.
func foreverExcluded(st *state, step *big.Rat) bool {
	if step == nil {
		return false
	}
	for _, a := range st.atoms {
		if a.op == opNoMultiple && multiple(step, a.rat) {
			return true
		}
	}
	return false
}

// stepped tries the multiples of step. When they are few, all are tried and the
// answer is exact.
func stepped(st *state, s span, first, last *big.Int, g goal) result {
	if first != nil && last != nil {
		if n := new(big.Int).Sub(last, first); n.IsInt64() && n.Int64() < maxTried {
			return st.exact(g.pick(s.from(first, one, int(n.Int64())+1)))
		}
	}
	var tries []func(func(any) bool)
	if first != nil {
		tries = append(tries, s.from(first, one, maxTried))
	}
	if last != nil {
		tries = append(tries, s.from(last, big.NewInt(-1), maxTried))
	}
	if first == nil && last == nil {
		tries = append(tries, s.from(new(big.Int), one, maxTried))
	}
	for _, try := range tries {
		for v := range try {
			st.spend(5)
			if st.fits(v) && g.passes(v) {
				return found(v)
			}
		}
	}
	return unsure
}

// from are multiples of step from a factor on.
func (s *span) from(factor, by *big.Int, count int) func(func(any) bool) {
	return func(yield func(any) bool) {
		at := new(big.Int).Set(factor)
		for range count {
			if !yield(new(big.Rat).Mul(new(big.Rat).SetInt(at), s.step)) {
				return
			}
			at.Add(at, by)
		}
	}
}

// exact is the answer when every value was judged. A format that is not known
// may refuse any of them.
func (st *state) exact(r result) result {
	if r.verdict == impossible && st.any(func(a atom) bool { return a.op == opNoFormat }) {
		return unsure
	}
	return r
}

// fits tells whether a value passes the atoms of the state.
func (st *state) fits(v any) bool {
	if kindOf(v) != st.kind {
		return false
	}
	st.spend(len(st.atoms))
	for _, j := range readings(st.meter) {
		if j.atoms(st.atoms, v) {
			return true
		}
	}
	return false
}

// fractions tries points between the bounds; there are always more of them.
func fractions(st *state, s span, g goal) result {
	if s.low != nil && s.high != nil && s.low.Cmp(s.high) == 0 {
		if s.low.IsInt() {
			return proven
		}
		return st.exact(g.pick(slices.Values([]any{s.low})))
	}
	for v := range points(s) {
		st.spend(5)
		if st.fits(v) && g.passes(v) {
			return found(v)
		}
	}
	return unsure
}

// points yields the bounds, and places between them that halving leads to: all
// are finite decimals.
func points(s span) func(func(*big.Rat) bool) {
	low, high := s.low, s.high
	ten := big.NewRat(10, 1)
	switch {
	case low == nil && high == nil:
		low, high = new(big.Rat), ten
	case low == nil:
		low = new(big.Rat).Sub(high, ten)
	case high == nil:
		high = new(big.Rat).Add(low, ten)
	}
	width := new(big.Rat).Sub(high, low)
	return func(yield func(*big.Rat) bool) {
		if !yield(low) || !yield(high) {
			return
		}
		for _, f := range places {
			if !yield(new(big.Rat).Add(low, new(big.Rat).Mul(width, f))) {
				return
			}
		}
	}
}

// places are fractions of a width.
var places = func() []*big.Rat {
	var out []*big.Rat
	for i := int64(2); i <= 64; i *= 2 {
		for j := int64(1); j < i; j += 2 {
			out = append(out, big.NewRat(j, i))
		}
	}
	for _, f := range [][2]int64{{1, 10}, {1, 100}, {7, 1000}, {13, 100_000}, {3, 10}, {123_456_789, 1_000_000_000}} {
		out = append(out, big.NewRat(f[0], f[1]))
	}
	return out
}()
