package schema

import "math/big"

// lit says that a node accepts a value, or that it does not.
type lit struct {
	node *node
	not  bool
}

func is(n *node) lit    { return lit{node: n} }
func isNot(n *node) lit { return lit{node: n, not: true} }

// op is what an atom says of a value.
type op uint8

const (
	opNever      op = iota
	opOpen          // cannot be decided
	opLit           // the literals of lits
	opMin           // a number is at least rat
	opMinOpen       // more than rat
	opMax           // at most rat
	opMaxOpen       // less than rat
	opMultiple      // a multiple of rat
	opNoMultiple    // no multiple of rat
	opNoneOf        // none of values

	opMinLen // a text has at least n characters
	opMaxLen
	opPattern // matches
	opNoPattern
	opFormat // has the format called text
	opNoFormat

	opMinItems // an array has at least n items
	opMaxItems
	opList     // prefixItems and items of node hold
	opItem     // there is an item n, and it passes lits
	opRest     // every item from n on passes lits
	opSomeItem // some item from n on passes lits
	opContains // at least n items pass lits
	opFew      // at most n items pass lits
	opUnique
	opNotUnique
	opRestItems // unevaluatedItems of node holds

	opProp   // there is a property called text, and it passes lits
	opAbsent // there is none
	opGroup  // properties, patternProperties and additionalProperties of node hold
	opSomeProp
	opNames // every name passes lits
	opMinProps
	opMaxProps
	opNeed      // dependentRequired of node holds
	opImplies   // dependentSchemas of node holds
	opRestProps // unevaluatedProperties of node holds
)

// atom is the smallest thing to say of a value of one kind.
type atom struct {
	op      op
	n       int
	rat     *big.Rat
	text    string
	pattern *pattern
	node    *node
	lits    []lit
	values  []any
	class   *nameClass
}

// alt is one way in which something can hold: all of its atoms.
type alt []atom

func lits(list ...lit) alt { return alt{{op: opLit, lits: list}} }

// nameClass says which names the property of opSomeProp may have.
type nameClass struct {
	outside *node    // not one that properties or patternProperties of the node speak of
	pattern *pattern // one that matches
	unseen  *node    // one that the node does not evaluate
	names   []lit    // one that passes
}

// unseen tells that an atom asks for what a node has not evaluated.
func (a atom) unseen() bool {
	return a.op == opSomeProp && a.class.unseen != nil || a.op == opSomeItem && a.node != nil
}

// atom judges what is easily judged, and lets the rest pass: whoever asks judges
// the literals behind the atoms too.
func (j judge) atom(a atom, v any) bool {
	switch x := v.(type) {
	case *big.Rat:
		return a.number(x) && j.common(a, v)
	case string:
		return a.string(x) && j.common(a, v)
	case []any:
		return a.array(len(x)) && j.common(a, v)
	case map[string]any:
		return j.objectAtom(a, x) && j.common(a, v)
	}
	return j.common(a, v)
}

func (j judge) common(a atom, v any) bool {
	switch a.op {
	case opNever:
		return false
	case opLit:
		return j.all(a.lits, v)
	case opNoneOf:
		if a.node != nil {
			return !a.node.has(v)
		}
		j.spend(len(a.values) / 4)
		return !holds(a.values, v)
	case opFormat:
		return j.formatted(a.text, v)
	case opNoFormat:
		return !j.formatted(a.text, v)
	}
	return true
}

func (a atom) number(v *big.Rat) bool {
	switch a.op {
	case opMin:
		return v.Cmp(a.rat) >= 0
	case opMinOpen:
		return v.Cmp(a.rat) > 0
	case opMax:
		return v.Cmp(a.rat) <= 0
	case opMaxOpen:
		return v.Cmp(a.rat) < 0
	case opMultiple:
		return multiple(v, a.rat)
	case opNoMultiple:
		return !multiple(v, a.rat)
	}
	return true
}

func (a atom) string(v string) bool {
	switch a.op {
	case opMinLen:
		return length(v) >= a.n
	case opMaxLen:
		return length(v) <= a.n
	case opPattern:
		return a.pattern.MatchString(v)
	case opNoPattern:
		return !a.pattern.MatchString(v)
	}
	return true
}

func (a atom) array(size int) bool {
	switch a.op {
	case opMinItems:
		return size >= a.n
	case opMaxItems:
		return size <= a.n
	case opItem, opSomeItem:
		return size > a.n
	}
	return true
}

func (j judge) objectAtom(a atom, v map[string]any) bool {
	switch a.op {
	case opProp:
		x, there := v[a.text]
		return there && j.all(a.lits, x)
	case opAbsent:
		_, there := v[a.text]
		return !there
	case opMinProps:
		return len(v) >= a.n
	case opMaxProps:
		return len(v) <= a.n
	}
	return true
}
