package schema

func anyOfWays(list []*node) []conjunction {
	if len(list) == 0 {
		return nil
	}
	ways := make([]conjunction, len(list))
	for i, c := range list {
		ways[i] = inPlace(accepts(c))
	}
	return ways
}

// maxBranchPairs is the most branches that are compared in pairs.
const maxBranchPairs = 128

// oneOfWays returns the ways in which exactly one branch accepts.
func oneOfWays(list []*node, k kind) []conjunction {
	if len(list) == 0 {
		return nil
	}
	if len(list) > maxBranchPairs {
		return anyOfWays(list) // accepts more, which is safe for an accepted value
	}
	ways := []conjunction{}
	for i, c := range list {
		if c.acceptsNone || !c.types.has(k) {
			continue
		}
		way := []literal{accepts(c)}
		for j, other := range list {
			if j != i && !other.acceptsNone && other.types.has(k) {
				way = append(way, refuses(other))
			}
		}
		ways = append(ways, inPlace(way...))
	}
	return ways
}

func conditionalWays(n *node) []conjunction {
	yes, no := []literal{accepts(n.ifNode)}, []literal{refuses(n.ifNode)}
	if n.thenNode != nil {
		yes = append(yes, accepts(n.thenNode))
	}
	if n.elseNode != nil {
		no = append(no, accepts(n.elseNode))
	}
	return []conjunction{inPlace(yes...), inPlace(no...)}
}

// splitBranches adds a choice for each branch below a node that may evaluate parts:
// what is unevaluated depends on them.
func (st *state) splitBranches(n *node) { walkNodes(n, (*node).visitInPlace, st.splitBranchesOf) }

func (st *state) splitBranchesOf(n *node) {
	branches := append(append([]*node{}, n.anyOf...), n.oneOf...)
	if n.ifNode != nil {
		branches = append(branches, n.ifNode)
	}
	for _, c := range branches {
		if c.constrainsParts {
			st.addChoice([]conjunction{inPlace(accepts(c)), inPlace(refuses(c))})
		}
	}
	for _, p := range n.dependentSchemas {
		if st.kind == kindObject && p.node.constrainsParts {
			present := atom{op: opProp, text: p.name}
			st.addChoice([]conjunction{
				{present, {op: opLiterals, lits: []literal{accepts(p.node)}}},
				{present, {op: opLiterals, lits: []literal{refuses(p.node)}}},
				{{op: opAbsent, text: p.name}},
			})
		}
	}
}
