package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"strconv"
	"sync"
)

// identity is a hash of a node's meaning: nodes with one identity accept the same
// documents. The reverse need not hold.
type identity [16]byte

// alwaysNode is the schema true.
var alwaysNode = func() *node {
	n := newNode("")
	identifyNodes([]*node{n}, nil)
	return n
}()

// maxLoop is the most nodes of a loop that are compared by text: writing each of
// them out from each takes quadratic time.
const maxLoop = 200

// identifyNodes sets the identity of every node. Nodes outside loops are hashed from
// their keywords and their children's identities. A node of a loop is written out,
// with a number where the text returns to a node. Nodes of a loop beyond maxLoop are
// known by their place in the document alone.
func identifyNodes(nodes []*node, doc any) {
	m := &identityBuilder{cyclic: findLoops(nodes), sizes: map[int]int{}}
	for _, loop := range m.cyclic {
		m.sizes[loop]++
	}
	m.document = sync.OnceValue(func() []byte {
		raw, err := json.Marshal(doc)
		if err != nil {
			return nil // it was decoded from JSON
		}
		sum := sha256.Sum256(raw)
		return sum[:]
	})
	for _, n := range nodes {
		m.identify(n)
	}
}

// withKnownChildren identifies nodes whose children have identities already.
var withKnownChildren = &identityBuilder{}

type identityBuilder struct {
	cyclic   map[*node]int // the number of the loop that a node is in
	sizes    map[int]int   // how many nodes a loop has
	document func() []byte // a hash of the whole document
}

var unset identity

func (m *identityBuilder) identify(n *node) identity {
	if n.id != unset {
		return n.id
	}
	w := &identityWriter{identityBuilder: m, entered: map[*node]int{n: 0}}
	if loop, cyclic := m.cyclic[n]; cyclic && m.sizes[loop] > maxLoop {
		w.out = append(m.document(), n.pointer...)
	} else {
		w.writeNode(n)
	}
	sum := sha256.Sum256(w.out)
	n.id = identity(sum[:])
	n.setSizes()
	return n.id
}

// setSizes sets what depends on the nodes in place, which never lead back to n.
func (n *node) setSizes() {
	if n.measured {
		return
	}
	n.measured = true
	n.uniformFrom = len(n.prefixItems)
	n.constrainsParts = n.constrainsProps() || n.constrainsItems() || n.contains != nil || n.unevaluatedProps != nil || n.unevaluatedItems != nil
	n.onlyEnum = n.enum != nil && n.isOnlyEnum()
	if n.enum == nil && !n.acceptsNone {
		n.acceptedKinds = n.types
	}
	for k := range kindCount {
		if len(appendAtoms(nil, n, k)) > 0 {
			n.acceptedKinds &^= 1 << k // dependentSchemas among them
		}
	}
	if n.not != nil || n.ifNode != nil || len(n.anyOf)+len(n.oneOf) > 0 {
		n.acceptedKinds = 0
	}
	n.visitInPlace(func(c *node) {
		c.setSizes()
		n.uniformFrom = max(n.uniformFrom, c.uniformFrom)
		n.constrainsParts = n.constrainsParts || c.constrainsParts
	})
	n.visitConjuncts(func(c *node) { n.acceptedKinds &= c.acceptedKinds })
}

// identityWriter writes one node; of a loop, everything that the node reaches.
type identityWriter struct {
	*identityBuilder
	entered map[*node]int
	out     []byte
}

func (w *identityWriter) writeNode(n *node) {
	if n.acceptsNone {
		w.out = append(w.out, "false"...)
		return
	}
	if n.ref != nil && n.isPlainRef() {
		w.writeChild(n, n.ref)
		return
	}
	if n.types != allKinds {
		w.writeCount("type", int(n.types))
	}
	if n.enum != nil {
		w.writeTag("values")
		w.writeValues(n.enum)
	}
	w.writeNumbers(n)
	w.writeTexts(n)
	w.writeArrays(n)
	w.writeObjects(n)
	w.writeOptional(n, "ref", n.ref)
	w.writeNodes(n, "allOf", n.allOf)
	w.writeNodes(n, "anyOf", n.anyOf)
	w.writeNodes(n, "oneOf", n.oneOf)
	w.writeOptional(n, "not", n.not)
	w.writeOptional(n, "if", n.ifNode)
	w.writeOptional(n, "then", n.thenNode)
	w.writeOptional(n, "else", n.elseNode)
}

// isPlainRef reports whether a node holds a reference and no other constraint.
func (n *node) isPlainRef() bool {
	rest := *n
	rest.ref = nil
	return rest.isEmpty()
}

// isOnlyEnum reports whether a node accepts every value of its enum.
func (n *node) isOnlyEnum() bool {
	rest := *n
	for _, v := range n.enum {
		if !n.types.has(kindOf(v)) {
			return false
		}
	}
	rest.enum, rest.types = nil, allKinds
	return rest.isEmpty()
}

// isEmpty reports whether a node has no keyword.
func (n *node) isEmpty() bool {
	alone := true
	n.visitChildren(func(*node) { alone = false })
	if !alone {
		return false
	}
	w := &identityWriter{}
	w.writeNode(n)
	return len(w.out) == 0
}

func (w *identityWriter) writeChild(from, c *node) {
	loop, cyclic := w.cyclic[c]
	if !cyclic || w.cyclic[from] != loop {
		id := w.identify(c)
		w.out = append(w.out, id[:]...)
		return
	}
	if i, again := w.entered[c]; again {
		w.writeCount("back", i)
		return
	}
	w.entered[c] = len(w.entered)
	w.out = append(w.out, '(')
	w.writeNode(c)
	w.out = append(w.out, ')')
}

func (w *identityWriter) writeTag(name string) { w.out = append(append(w.out, name...), 0) }

func (w *identityWriter) writeCount(name string, n int) {
	w.writeTag(name)
	w.out = binary.AppendVarint(w.out, int64(n))
}

func (w *identityWriter) writeText(s string) { w.out = appendText(w.out, s) }

func (w *identityWriter) writeNumber(name string, r *big.Rat) {
	if r != nil {
		w.writeTag(name)
		w.writeText(r.RatString())
	}
}

// writeValues writes values as a set, since their order has no meaning.
func (w *identityWriter) writeValues(values []any) {
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		seen[canonicalText(v)] = true
	}
	for _, text := range sortedKeys(seen) {
		w.writeText(text)
	}
	w.out = append(w.out, strconv.Itoa(len(seen))...)
}

func (w *identityWriter) writeOptional(from *node, name string, c *node) {
	if c != nil {
		w.writeTag(name)
		w.writeChild(from, c)
	}
}

func (w *identityWriter) writeNodes(from *node, name string, list []*node) {
	if len(list) > 0 {
		w.writeCount(name, len(list))
	}
	for _, c := range list {
		w.writeChild(from, c)
	}
}

func (w *identityWriter) writeProps(from *node, name string, list []prop) {
	if len(list) > 0 {
		w.writeCount(name, len(list))
	}
	for _, p := range list {
		w.writeText(p.name)
		w.writeChild(from, p.node)
	}
}
