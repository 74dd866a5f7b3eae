package schema

// Schema is one document, ready to be compared. It does not change.
type Schema struct {
	root *node
	// document is the document as it is judged: Gati's own form translated.
	document any
	// unknownFormats are the formats that nobody here knows, of all that a value can come to.
	unknownFormats []string
	// nodeCount are its schemas, and steps what its patterns unfold to.
	nodeCount, patternWeight int
}

// Parse reads a document: a JSON Schema of draft 2020-12, or the kind form of
// Gati's contracts, which it translates. The error is a Problems.
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
	return buildSchema(doc)
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
	identify(b.nodes, doc)
	return &Schema{root: root, document: doc, unknownFormats: unknownFormats(met), nodeCount: len(b.nodes), patternWeight: b.patternWeight}, nil
}

// Document is the schema as JSON Schema, Gati's own form translated: what a
// validator of draft 2020-12 takes. It must not be changed.
func (s *Schema) Document() any { return s.document }

// Weight is about how many bytes of memory the schema takes, the document that it was
// read from left out.
func (s *Schema) Weight() int { return s.nodeCount<<10 + s.patternWeight<<6 }

// Same reports whether two schemas say the same. It may say no of two that do.
func Same(a, b *Schema) bool { return a.root.id == b.root.id }
