package formats

import "strings"

// The parameters of Punycode, RFC 3492.
const (
	base        = 36
	leastDigit  = 1
	mostDigit   = 26
	skew        = 38
	damp        = 700
	initialBias = 72
	initialRune = 128
	maxCode     = 1 << 24 // no label leads beyond it
)

// threshold is the digit at which a number ends.
func threshold(place, bias int) int { return min(max(place-bias, leastDigit), mostDigit) }

func adapt(delta, count int, first bool) int {
	if delta /= 2; first {
		delta /= damp / 2
	}
	delta += delta / count
	k := 0
	for ; delta > (base-leastDigit)*mostDigit/2; k += base {
		delta /= base - leastDigit
	}
	return k + (base-leastDigit+1)*delta/(delta+skew)
}

func digitOf(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return int(c - 'a')
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= '0' && c <= '9':
		return int(c-'0') + 26
	}
	return base
}

// decodePunycode returns the characters that a code stands for.
func decodePunycode(code string) (text []rune, ok bool) {
	if at := strings.LastIndexByte(code, '-'); at >= 0 {
		text, code = []rune(code[:at]), code[at+1:]
	}
	n, bias := initialRune, initialBias
	for i, at := 0, 0; at < len(code); i++ {
		before := i
		for weight, place := 1, base; ; place += base {
			if at == len(code) {
				return nil, false
			}
			digit := digitOf(code[at])
			at++
			if i += digit * weight; digit == base || i > maxCode*maxLabel {
				return nil, false
			}
			t := threshold(place, bias)
			if digit < t {
				break
			}
			weight *= base - t
		}
		count := len(text) + 1
		bias = adapt(i-before, count, before == 0)
		n += i / count
		if i %= count; n > '\U0010ffff' {
			return nil, false
		}
		text = append(text[:i], append([]rune{rune(n)}, text[i:]...)...)
	}
	return text, true
}

// encodePunycode returns the code of a label. It fails for a label without characters
// beyond ASCII.
func encodePunycode(text []rune) (code string, ok bool) {
	var out []byte
	for _, r := range text {
		if r < initialRune {
			out = append(out, byte(r))
		}
	}
	done := len(out)
	first := done
	if done == len(text) {
		return "", false
	}
	if done > 0 {
		out = append(out, '-')
	}
	delta, bias := 0, initialBias
	for n := rune(initialRune); done < len(text); n++ {
		next := rune('\U0010ffff')
		for _, r := range text {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range text {
			if r < n {
				delta++
			}
			if r == n {
				out = appendNumber(out, delta, bias)
				bias = adapt(delta, done+1, done == first)
				delta = 0
				done++
			}
		}
		delta++
	}
	return string(out), true
}

func appendNumber(out []byte, number, bias int) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for place := base; ; place += base {
		t := threshold(place, bias)
		if number < t {
			return append(out, digits[number])
		}
		out = append(out, digits[t+(number-t)%(base-t)])
		number = (number - t) / (base - t)
	}
}
