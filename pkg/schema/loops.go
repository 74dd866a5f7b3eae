package schema

// findLoops numbers the loops of a document: its strongly connected components, by
// Tarjan's algorithm.
func findLoops(nodes []*node) map[*node]int {
	referring := false
	for _, n := range nodes {
		referring = referring || n.ref != nil
	}
	if !referring {
		return nil
	}
	t := &loopFinder{index: map[*node]int{}, low: map[*node]int{}, open: map[*node]bool{}, loops: map[*node]int{}}
	for _, n := range nodes {
		if t.index[n] == 0 {
			t.visitNode(n)
		}
	}
	return t.loops
}

type loopFinder struct {
	index, low map[*node]int
	open       map[*node]bool
	stack      []*node
	loops      map[*node]int
}

func (t *loopFinder) visitNode(n *node) {
	t.index[n] = len(t.index) + 1
	t.low[n] = t.index[n]
	t.stack = append(t.stack, n)
	t.open[n] = true
	itself := false
	n.visitChildren(func(c *node) {
		itself = itself || c == n
		if t.index[c] == 0 {
			t.visitNode(c)
			t.low[n] = min(t.low[n], t.low[c])
		} else if t.open[c] {
			t.low[n] = min(t.low[n], t.index[c])
		}
	})
	if t.low[n] != t.index[n] {
		return
	}
	for size := 0; ; size++ {
		last := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.open[last] = false
		if last != n || size > 0 || itself {
			t.loops[last] = t.index[n]
		}
		if last == n {
			return
		}
	}
}
