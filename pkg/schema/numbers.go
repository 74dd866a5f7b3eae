package schema

import (
	"math/big"
	"slices"
)

// numberRange is the interval and step of a number.
type numberRange struct {
	low, high         *big.Rat // nil without bound
	lowOpen, highOpen bool
	step              *big.Rat // every number is a multiple of it; nil for any
}

func rangeOf(st *state) numberRange {
	var s numberRange
	st.spend(len(st.atoms) / 2)
	for _, a := range st.atoms {
		if a.op == opMultiple {
			st.spendNumbers(a.rat, s.step)
		}
		s.narrowBy(a)
	}
	if st.kind == kindInteger {
		s.step = commonMultiple(s.step, big.NewRat(1, 1))
	}
	return s
}

func (s *numberRange) narrowBy(a atom) {
	switch a.op {
	case opMin, opMinOpen:
		s.raiseLow(a.rat, a.op == opMinOpen)
	case opMax, opMaxOpen:
		s.lowerHigh(a.rat, a.op == opMaxOpen)
	case opMultiple:
		s.step = commonMultiple(s.step, a.rat)
	}
}

func (s *numberRange) raiseLow(r *big.Rat, open bool) {
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

func (s *numberRange) lowerHigh(r *big.Rat, open bool) {
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

// isEmpty reports whether no number lies between the bounds.
func (s *numberRange) isEmpty() bool {
	if s.low == nil || s.high == nil {
		return false
	}
	c := s.low.Cmp(s.high)
	return c > 0 || c == 0 && (s.lowOpen || s.highOpen)
}

// maxDigits bounds the binary digits of a common multiple. Beyond it the step stays
// coarser than the truth, so it still proves nothing false.
const maxDigits = 1024

// commonMultiple returns the least common multiple of two fractions.
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

// stepFactors returns the first and last multiple of step between the bounds, as
// factors.
func (s *numberRange) stepFactors() (first, last *big.Int) {
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

// maxCandidates is the most candidates that are tried before a state stays
// undecided.
const maxCandidates = 200

func solveNumber(st *state, g goal) result {
	s := rangeOf(st)
	if s.isEmpty() || excludesMultiples(st, s.step) || isContradictory(st) {
		return proven
	}
	if s.step == nil {
		return solveFraction(st, s, g)
	}
	if st.kind == kindFraction && s.step.IsInt() {
		return proven
	}
	first, last := s.stepFactors()
	if first != nil && last != nil && first.Cmp(last) > 0 {
		return proven
	}
	return tryMultiples(st, s, first, last, g)
}

// excludesMultiples reports whether every multiple of step is excluded.
func excludesMultiples(st *state, step *big.Rat) bool {
	if step == nil {
		return false
	}
	for _, a := range st.atoms {
		if a.op == opNoMultiple && isMultiple(step, a.rat) {
			return true
		}
	}
	return false
}

// tryMultiples tries the multiples of step. When they are few it tries all, and the
// answer is exact.
func tryMultiples(st *state, s numberRange, first, last *big.Int, g goal) result {
	if first != nil && last != nil {
		if n := new(big.Int).Sub(last, first); n.IsInt64() && n.Int64() < maxCandidates {
			return st.exactResult(g.pickValue(s.multiplesFrom(first, one, int(n.Int64())+1)))
		}
	}
	var tries []func(func(any) bool)
	if first != nil {
		tries = append(tries, s.multiplesFrom(first, one, maxCandidates))
	}
	if last != nil {
		tries = append(tries, s.multiplesFrom(last, big.NewInt(-1), maxCandidates))
	}
	if first == nil && last == nil {
		tries = append(tries, s.multiplesFrom(new(big.Int), one, maxCandidates))
	}
	for _, try := range tries {
		for v := range try {
			st.spend(5)
			if st.passesAtoms(v) && g.isMetBy(v) {
				return foundValue(v)
			}
		}
	}
	return unsure
}

// multiplesFrom yields multiples of step, starting from a factor.
func (s *numberRange) multiplesFrom(factor, by *big.Int, count int) func(func(any) bool) {
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

// exactResult is the answer after every value was evaluated. An unknown format may
// refuse any of them.
func (st *state) exactResult(r result) result {
	if r.verdict == impossible && st.hasAtom(func(a atom) bool { return a.op == opNoFormat }) {
		return unsure
	}
	return r
}

// passesAtoms reports whether a value passes the atoms of the state.
func (st *state) passesAtoms(v any) bool {
	if kindOf(v) != st.kind {
		return false
	}
	st.spend(len(st.atoms))
	for _, j := range formatReadings(st.meter) {
		if j.judgeAtoms(st.atoms, v) {
			return true
		}
	}
	return false
}

// solveFraction tries points between the bounds; it cannot try all.
func solveFraction(st *state, s numberRange, g goal) result {
	if s.low != nil && s.high != nil && s.low.Cmp(s.high) == 0 {
		if s.low.IsInt() {
			return proven
		}
		return st.exactResult(g.pickValue(slices.Values([]any{s.low})))
	}
	for v := range candidateFractions(s) {
		st.spend(5)
		if st.passesAtoms(v) && g.isMetBy(v) {
			return foundValue(v)
		}
	}
	return unsure
}

// candidateFractions yields the bounds and points between them, all of them finite
// decimals.
func candidateFractions(s numberRange) func(func(*big.Rat) bool) {
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
		for _, f := range widthFractions {
			if !yield(new(big.Rat).Add(low, new(big.Rat).Mul(width, f))) {
				return
			}
		}
	}
}

// widthFractions are the points of candidateFractions, as parts of the width.
var widthFractions = func() []*big.Rat {
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
