package regular

import (
	"encoding/binary"
	"slices"
)

// expr is an expression of a space, by its index. Equal expressions have equal indexes.
type expr int32

type exprOp uint8

const (
	isNone   exprOp = iota // no string
	isEmpty                // the empty string
	isSet                  // one character
	isCat                  // parts[0], then parts[1]
	isOr                   // one of parts
	isAnd                  // all of parts
	isNot                  // not parts[0]
	isRepeat               // parts[0], from least to most times
	isStart                // nothing, at the start of the text
	isEnd                  // nothing, at its end
	isEdge                 // nothing, where exactly one neighbour is a word character
	isNoEdge               // nothing, elsewhere
)

type exprNode struct {
	op          exprOp
	parts       []expr
	least, most int
	set         set
	// asks is true for an expression with a condition on the place.
	asks, asksStart bool
}

// space holds expressions, each once, so that equal states of a walk are one.
type space struct {
	nodes []exprNode
	known map[string]expr
	spend func(units int) bool
}

// The first expressions of every space.
const (
	none expr = iota
	empty
	anyText
)

func newSpace(spend func(units int) bool) *space {
	s := &space{known: map[string]expr{}, spend: spend}
	s.add(exprNode{op: isNone})
	s.add(exprNode{op: isEmpty})
	s.nodes = append(s.nodes, exprNode{})
	any := s.add(exprNode{op: isSet, set: everything})
	s.nodes[anyText] = exprNode{op: isRepeat, parts: []expr{any}, most: endless}
	s.known[s.keyOf(s.nodes[anyText])] = anyText
	return s
}

func (s *space) keyOf(n exprNode) string {
	key := binary.AppendVarint([]byte{byte(n.op)}, int64(n.least))
	key = binary.AppendVarint(key, int64(n.most))
	for _, p := range n.parts {
		key = binary.AppendVarint(key, int64(p))
	}
	for _, x := range n.set {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(x.low)), int64(x.high))
	}
	return string(key)
}

// add returns the expression of a node.
func (s *space) add(n exprNode) expr {
	s.spend(1 + len(n.parts)/4 + len(n.set)/4)
	key := s.keyOf(n)
	if e, is := s.known[key]; is {
		return e
	}
	n.asksStart = n.op == isStart
	n.asks = n.op >= isStart
	for _, p := range n.parts {
		n.asks = n.asks || s.nodes[p].asks
		n.asksStart = n.asksStart || s.nodes[p].asksStart
	}
	e := expr(len(s.nodes))
	s.nodes = append(s.nodes, n)
	s.known[key] = e
	return e
}

func (s *space) ofSet(of set) expr {
	if len(of) == 0 {
		return none
	}
	return s.add(exprNode{op: isSet, set: of})
}

func (s *space) cat(a, b expr) expr {
	switch {
	case a == none || b == none:
		return none
	case a == empty:
		return b
	case b == empty:
		return a
	}
	if n := s.nodes[a]; n.op == isCat {
		return s.cat(n.parts[0], s.cat(n.parts[1], b))
	}
	if n := s.nodes[b]; a == anyText && (b == anyText || n.op == isCat && n.parts[0] == anyText) {
		return b
	}
	return s.add(exprNode{op: isCat, parts: []expr{a, b}})
}

func (s *space) or(of ...expr) expr  { return s.join(isOr, none, anyText, of) }
func (s *space) and(of ...expr) expr { return s.join(isAnd, anyText, none, of) }

// join joins expressions by an operator: neutral changes nothing, and absorbing is the result
// wherever it is.
func (s *space) join(op exprOp, neutral, absorbing expr, of []expr) expr {
	var parts []expr
	for _, e := range of {
		switch {
		case e == absorbing:
			return absorbing
		case e == neutral:
		case s.nodes[e].op == op:
			parts = append(parts, s.nodes[e].parts...)
		default:
			parts = append(parts, e)
		}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	for _, e := range parts {
		if n := s.nodes[e]; n.op == isNot {
			if _, both := slices.BinarySearch(parts, n.parts[0]); both {
				return absorbing
			}
		}
	}
	switch len(parts) {
	case 0:
		return neutral
	case 1:
		return parts[0]
	}
	return s.add(exprNode{op: op, parts: parts})
}

func (s *space) not(e expr) expr {
	switch {
	case e == none:
		return anyText
	case e == anyText:
		return none
	case s.nodes[e].op == isNot:
		return s.nodes[e].parts[0]
	}
	return s.add(exprNode{op: isNot, parts: []expr{e}})
}

func (s *space) repeat(e expr, least, most int) expr {
	switch {
	case most == 0 || e == empty:
		return empty
	case e == none && least == 0:
		return empty
	case e == none:
		return none
	case least == 1 && most == 1:
		return e
	}
	if n := s.nodes[e]; n.op == isRepeat && n.least == 0 && n.most == endless && !n.asks {
		return e
	}
	return s.add(exprNode{op: isRepeat, parts: []expr{e}, least: least, most: most})
}

var assertions = map[operator]exprOp{opStart: isStart, opEnd: isEnd, opWordEdge: isEdge, opNoWordEdge: isNoEdge}

// build returns what a tree matches, followed by next: what is ahead of a look-ahead is the
// rest of the text. ok is false for what no expression can say.
func (s *space) build(t *tree, next expr) (e expr, ok bool) {
	switch t.op {
	case opEmpty:
		return next, true
	case opSet:
		return s.cat(s.ofSet(t.set), next), true
	case opConcat:
		for _, sub := range slices.Backward(t.sub) {
			if next, ok = s.build(sub, next); !ok {
				return none, false
			}
		}
		return next, true
	case opAlternate:
		ways := make([]expr, len(t.sub))
		for i, sub := range t.sub {
			if ways[i], ok = s.build(sub, next); !ok {
				return none, false
			}
		}
		return s.or(ways...), true
	case opRepeat:
		return s.buildRepeat(t, next)
	case opAhead, opNotAhead:
		ahead, ok := s.build(t.sub[0], anyText)
		if t.op == opNotAhead {
			ahead = s.not(ahead)
		}
		return s.and(ahead, next), ok
	case opBeyond:
		return none, false
	}
	return s.cat(s.add(exprNode{op: assertions[t.op]}), next), true
}

// buildRepeat builds a repetition. One of look-ahead is unfolded, for each turn looks at its own
// rest; without an end that is beyond.
func (s *space) buildRepeat(t *tree, next expr) (expr, bool) {
	sub := t.sub[0]
	if !sub.looksAhead() {
		inner, ok := s.build(sub, empty)
		return s.cat(s.repeat(inner, t.least, t.most), next), ok
	}
	if t.most == endless {
		return none, false
	}
	out := next
	for turn := t.most; turn > 0; turn-- {
		more, ok := s.build(sub, out)
		if !ok || !s.spend(1) {
			return none, false
		}
		if out = more; turn > t.least {
			out = s.or(more, next)
		}
	}
	return out, true
}

func (t *tree) looksAhead() bool {
	return t.op == opAhead || t.op == opNotAhead || slices.ContainsFunc(t.sub, (*tree).looksAhead)
}
