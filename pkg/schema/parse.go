package schema

// Schema is one document, ready to be compared. It does not change.
type Schema struct {
	root *node
	// doc is the document as it is judged: Gati's own form translated.
	doc any
	// opaque are the formats that nobody here knows, of all that a value can come to.
	opaque []string
	// parts are its schemas, and steps what its patterns unfold to.
	parts, steps int
}

// Parse reads a document: a JSON Schema of draft 2020-12, or the kind form of
// Gati's contracts, which it translates. The error is a Problems.
func Parse(raw []byte) (*Schema, error) {
	if err := scan(raw); err != nil {
		return nil, err
	}
	doc, err := decode(raw)
	if err != nil {
		return nil, err
	}
	if isGType(doc) {
		if doc, err = translate(doc); err != nil {
			return nil, err
		}
	}
	return build(doc)
}

func build(doc any) (*Schema, error) {
	b := &builder{doc: doc, at: map[string]*node{}}
	root := b.node(doc, "", 0)
	b.resolve()
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	met := reachable(root)
	if err := unguarded(met); err != nil {
		return nil, err
	}
	identify(b.nodes, doc)
	return &Schema{root: root, doc: doc, opaque: opaque(met), parts: len(b.nodes), steps: b.weight}, nil
}

// Document is the schema as JSON Schema, Gati's own form translated: what a
// validator of draft 2020-12 takes. It must not be changed.
func (s *Schema) Document() any { return s.doc }

// Weight is about how many bytes of memory the schema takes, the document that it was
// read from left out.
func (s *Schema) Weight() int { return s.parts<<10 + s.steps<<6 }

// Same tells whether two schemas say the same. It may say no of two that do.
func Same(a, b *Schema) bool { return a.root.id == b.root.id }
