package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"strconv"
	"sync"
)

// identity stands for what a node says: nodes of one identity accept the same
// documents. The reverse need not hold.
type identity [16]byte

// alwaysNode is the schema true.
var alwaysNode = func() *node {
	n := blank("")
	identify([]*node{n}, nil)
	return n
}()

// maxLoop is how many nodes may lead back to each other for their text to be
// compared: writing out each from each takes the square of it.
const maxLoop = 200

// identify gives every node its identity. What does not lead back to itself is
// hashed from its keywords and its children's identities. What does is written
// out from the node on, with a number where the way comes back; nodes of a large
// loop are known by their place in the document alone.
func identify(nodes []*node, doc any) {
	m := &namer{cyclic: loops(nodes), sizes: map[int]int{}}
	for _, loop := range m.cyclic {
		m.sizes[loop]++
	}
	m.text = sync.OnceValue(func() []byte {
		raw, err := json.Marshal(doc)
		if err != nil {
			return nil // it was decoded from JSON
		}
		sum := sha256.Sum256(raw)
		return sum[:]
	})
	for _, n := range nodes {
		m.of(n)
	}
}

// nameless identifies nodes whose children have identities already.
var nameless = &namer{}

type namer struct {
	cyclic map[*node]int // the number of the loop that a node is in
	sizes  map[int]int   // how many nodes a loop has
	text   func() []byte // stands for the whole document
}

var unset identity

func (m *namer) of(n *node) identity {
	if n.id != unset {
		return n.id
	}
	w := &writer{namer: m, entered: map[*node]int{n: 0}}
	if loop, cyclic := m.cyclic[n]; cyclic && m.sizes[loop] > maxLoop {
		w.out = append(m.text(), n.at...)
	} else {
		w.node(n)
	}
	sum := sha256.Sum256(w.out)
	n.id = identity(sum[:])
	return n.id
}

// writer writes one node. Of a loop it writes all that it comes to.
type writer struct {
	*namer
	entered map[*node]int
	out     []byte
}

func (w *writer) node(n *node) {
	if n.never {
		w.out = append(w.out, "false"...)
		return
	}
	if n.ref != nil && n.onlyRefers() {
		w.child(n, n.ref)
		return
	}
	if n.types != allKinds {
		w.count("type", int(n.types))
	}
	if n.values != nil {
		w.tag("values")
		w.list(n.values)
	}
	w.numbers(n)
	w.texts(n)
	w.arrays(n)
	w.objects(n)
	w.one(n, "ref", n.ref)
	w.many(n, "allOf", n.allOf)
	w.many(n, "anyOf", n.anyOf)
	w.many(n, "oneOf", n.oneOf)
	w.one(n, "not", n.not)
	w.one(n, "if", n.cond)
	w.one(n, "then", n.then)
	w.one(n, "else", n.other)
}

// onlyRefers tells that a node says no more than what it refers to.
func (n *node) onlyRefers() bool {
	rest := *n
	rest.ref = nil
	alone := true
	rest.children(func(*node) { alone = false })
	if !alone {
		return false
	}
	w := &writer{}
	w.node(&rest)
	return len(w.out) == 0
}

func (w *writer) child(from, c *node) {
	loop, cyclic := w.cyclic[c]
	if !cyclic || w.cyclic[from] != loop {
		id := w.of(c)
		w.out = append(w.out, id[:]...)
		return
	}
	if i, again := w.entered[c]; again {
		w.count("back", i)
		return
	}
	w.entered[c] = len(w.entered)
	w.out = append(w.out, '(')
	w.node(c)
	w.out = append(w.out, ')')
}

func (w *writer) tag(name string) { w.out = append(append(w.out, name...), 0) }

func (w *writer) count(name string, n int) {
	w.tag(name)
	w.out = binary.AppendVarint(w.out, int64(n))
}

func (w *writer) text(s string) { w.out = appendText(w.out, s) }

func (w *writer) rat(name string, r *big.Rat) {
	if r != nil {
		w.tag(name)
		w.text(r.RatString())
	}
}

// list writes values as a set: their order says nothing.
func (w *writer) list(values []any) {
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		seen[canon(v)] = true
	}
	for _, text := range sortedKeys(seen) {
		w.text(text)
	}
	w.out = append(w.out, strconv.Itoa(len(seen))...)
}

func (w *writer) one(from *node, name string, c *node) {
	if c != nil {
		w.tag(name)
		w.child(from, c)
	}
}

func (w *writer) many(from *node, name string, list []*node) {
	if len(list) > 0 {
		w.count(name, len(list))
	}
	for _, c := range list {
		w.child(from, c)
	}
}

func (w *writer) props(from *node, name string, list []prop) {
	if len(list) > 0 {
		w.count(name, len(list))
	}
	for _, p := range list {
		w.text(p.name)
		w.child(from, p.node)
	}
}
