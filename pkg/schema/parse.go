package schema

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// Schema is an immutable document, ready to be compared.
type Schema struct {
	root *node
	// document is the JSON Schema, translated from Gati's own form if needed.
	document any
	// unchecked are the patterns whose meaning comparisons do not know.
	unchecked []Note
	// unknownFormats are the formats in reach of a value that cannot be evaluated.
	unknownFormats []string
	digest         Digest
	// upgrades are the changes that the document needed, moves where its parts were.
	upgrades []Note
	moves    moves
	// nodeCount and patternWeight estimate the memory of the schema.
	nodeCount, patternWeight int
}

// Parse reads a JSON Schema of draft-04 to 2020-12 or OpenAPI 3.0 or 3.1, or translates
// the kind form of Gati's contracts. Upgrades tells how it was read. The error is a
// Problems.
func Parse(raw []byte) (*Schema, error) {
	if err := checkLimits(raw); err != nil {
		return nil, err
	}
	doc, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	if isGType(doc) {
		if doc, err = translateGType(doc); err != nil {
			return nil, err
		}
	}
	upgraded, notes, moves, err := upgradeDocument(doc)
	if err != nil {
		return nil, err
	}
	s, err := buildSchema(upgraded)
	if err != nil {
		return nil, moves.writtenProblems(err)
	}
	s.upgrades, s.moves = notes, moves
	for i := range s.unchecked {
		s.unchecked[i].Pointer = moves.written(s.unchecked[i].Pointer)
	}
	slices.SortFunc(s.unchecked, func(a, b Note) int { return strings.Compare(a.Pointer, b.Pointer) })
	s.digest = sha256.Sum256(raw)
	return s, nil
}

// Digest is the hash of the document that a schema was read from.
type Digest [sha256.Size]byte

// Digests returns the hashes of input and output; zero where there is none.
func (v Version) Digests() [2]Digest {
	var out [2]Digest
	for i, s := range []*Schema{v.Input, v.Output} {
		if s != nil {
			out[i] = s.digest
		}
	}
	return out
}

func buildSchema(doc any) (*Schema, error) {
	b := &builder{doc: doc, byPointer: map[string]*node{}}
	root := b.buildNode(doc, "", 0)
	b.resolveRefs()
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	met := reachableNodes(root)
	if err := checkRecursion(met); err != nil {
		return nil, err
	}
	identifyNodes(b.nodes, doc)
	return &Schema{root: root, document: doc, unknownFormats: unknownFormats(met), unchecked: b.unchecked, nodeCount: len(b.nodes), patternWeight: b.patternWeight}, nil
}

// Document returns the schema as JSON Schema for a validator of draft 2020-12. The
// caller must not change it.
func (s *Schema) Document() any { return s.document }

// Weight returns the approximate memory of the schema in bytes, without the document
// that it was parsed from.
func (s *Schema) Weight() int { return s.nodeCount<<10 + s.patternWeight<<6 }

// Upgrades returns the changes that the document needed to be read as draft 2020-12.
func (s *Schema) Upgrades() []Note { return s.upgrades }

// Unchecked returns the parts that comparisons know nothing of: patterns with look-behind
// or back references. What depends on them is undecided.
func (s *Schema) Unchecked() []Note { return s.unchecked }
