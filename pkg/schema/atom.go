package schema

import "math/big"

// literal states that a node accepts a value, or refuses it.
type literal struct {
	node *node
	not  bool
}

func accepts(n *node) literal { return literal{node: n} }
func refuses(n *node) literal { return literal{node: n, not: true} }

// operator is the kind of an atom.
type operator uint8

const (
	opNever       operator = iota
	opUndecidable          // cannot be decided
	opLiterals             // the literals of lits
	opMin                  // a number is at least rat
	opMinOpen              // more than rat
	opMax                  // at most rat
	opMaxOpen              // less than rat
	opMultiple             // a multiple of rat
	opNoMultiple           // no multiple of rat
	opNoneOf               // none of values

	opMinLen // a text has at least n characters
	opMaxLen
	opPattern // matches
	opNoPattern
	opFormat // has the format called text
	opNoFormat

	opMinItems // an array has at least n items
	opMaxItems
	opItems        // prefixItems and items of node hold
	opItem         // there is an item n, and it passes lits
	opEveryItem    // every item from n on passes lits
	opSomeItem     // some item from n on passes lits
	opMinContained // at least n items pass lits
	opMaxContained // at most n items pass lits
	opUnique
	opNotUnique
	opUnevaluatedItems // unevaluatedItems of node holds

	opProp   // there is a property called text, and it passes lits
	opAbsent // there is none
	opProps  // properties, patternProperties and additionalProperties of node hold
	opSomeProp
	opPropertyNames // every name passes lits
	opMinProps
	opMaxProps
	opDependentRequired // dependentRequired of node holds
	opDependentSchemas  // dependentSchemas of node holds
	opUnevaluatedProps  // unevaluatedProperties of node holds
)

// atom is one elementary constraint on values of one kind.
type atom struct {
	op      operator
	n       int
	rat     *big.Rat
	text    string
	pattern *pattern
	node    *node
	lits    []literal
	values  []any
	class   *nameClass
}

// conjunction is a list of atoms that must all hold: one alternative of a choice.
type conjunction []atom

func inPlace(list ...literal) conjunction { return conjunction{{op: opLiterals, lits: list}} }

// nameClass restricts the names of the property that opSomeProp asks for.
type nameClass struct {
	// outside excludes the names in properties and patternProperties of the node.
	outside *node     // not one that properties or patternProperties of the node speak of
	pattern *pattern  // one that matches
	unseen  *node     // one that the node does not evaluate
	passing []literal // one that passes
}

// asksUnevaluated reports whether the atom asks for a part that a node has not
// evaluated.
func (a atom) asksUnevaluated() bool {
	return a.op == opSomeProp && a.class.unseen != nil || a.op == opSomeItem && a.node != nil
}

// judgeAtom evaluates an atom, except for unevaluated parts.
func (j judge) judgeAtom(a atom, v any) bool {
	switch x := v.(type) {
	case *big.Rat:
		return j.judgeNumberAtom(a, x) && j.judgeCommonAtom(a, v)
	case string:
		return j.judgeStringAtom(a, x) && j.judgeCommonAtom(a, v)
	case []any:
		return j.judgeArrayAtom(a, x) && j.judgeCommonAtom(a, v)
	case map[string]any:
		return j.judgeObjectAtom(a, x) && j.judgeCommonAtom(a, v)
	}
	return j.judgeCommonAtom(a, v)
}

func (j judge) judgeCommonAtom(a atom, v any) bool {
	switch a.op {
	case opNever:
		return false
	case opLiterals:
		return j.judgeLiterals(a.lits, v)
	case opNoneOf:
		if a.node != nil {
			return !a.node.hasValue(j.meter, v)
		}
		j.spend(len(a.values) / 4)
		j.spendValue(v)
		return !containsValue(a.values, v)
	case opFormat:
		return j.acceptsFormat(a.text, v)
	case opNoFormat:
		return !j.acceptsFormat(a.text, v)
	}
	return true
}

func (j judge) judgeNumberAtom(a atom, v *big.Rat) bool {
	j.spendNumbers(v, a.rat)
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
		return isMultiple(v, a.rat)
	case opNoMultiple:
		return !isMultiple(v, a.rat)
	}
	return true
}

func (j judge) judgeStringAtom(a atom, v string) bool {
	j.spend(len(v) / countedPerUnit)
	switch a.op {
	case opMinLen:
		return textLength(v) >= a.n
	case opMaxLen:
		return textLength(v) <= a.n
	case opPattern:
		return a.pattern.matches(j.meter, v)
	case opNoPattern:
		return !a.pattern.matches(j.meter, v)
	}
	return true
}

func (j judge) judgeArrayAtom(a atom, v []any) bool {
	switch a.op {
	case opMinItems:
		return len(v) >= a.n
	case opMaxItems:
		return len(v) <= a.n
	case opItem:
		return len(v) > a.n && j.judgeLiterals(a.lits, v[a.n])
	case opSomeItem:
		return len(v) > a.n && j.countPassing(a.lits, v[a.n:]) > 0
	case opEveryItem:
		return len(v) <= a.n || j.countPassing(a.lits, v[a.n:]) == len(v)-a.n
	case opMinContained:
		return j.countPassing(a.lits, v) >= a.n
	case opMaxContained:
		return j.countPassing(a.lits, v) <= a.n
	case opUnique:
		j.spendValue(v)
		return hasUniqueItems(v)
	case opNotUnique:
		j.spendValue(v)
		return !hasUniqueItems(v)
	}
	return true
}

func (j judge) countPassing(lits []literal, v []any) int {
	found := 0
	for _, x := range v {
		if j.judgeLiterals(lits, x) {
			found++
		}
	}
	return found
}

func (j judge) judgeObjectAtom(a atom, v map[string]any) bool {
	switch a.op {
	case opProp:
		x, there := v[a.text]
		return there && j.judgeLiterals(a.lits, x)
	case opAbsent:
		_, there := v[a.text]
		return !there
	case opSomeProp:
		for name := range v {
			if a.class.outside != nil && a.class.outside.namesProp(j.viewOf(name)) || a.class.pattern != nil && !a.class.pattern.matches(j.meter, name) {
				continue
			}
			if j.judgeLiterals(a.class.passing, name) && j.judgeLiterals(a.lits, v[name]) {
				return true
			}
		}
		return false
	case opMinProps:
		return len(v) >= a.n
	case opMaxProps:
		return len(v) <= a.n
	}
	return true
}
