package schema

// Schema is one document, ready to be compared. It does not change.
type Schema struct {
	root *node
	// doc is the document as it is judged: Gati's own form translated.
	doc any
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
	if err := unguarded(root); err != nil {
		return nil, err
	}
	identify(b.nodes, doc)
	return &Schema{root: root, doc: doc}, nil
}

// Document is the schema as JSON Schema, Gati's own form translated: what a
// validator of draft 2020-12 takes. It must not be changed.
func (s *Schema) Document() any { return s.doc }

// Same tells whether two schemas say the same. It may say no of two that do.
func Same(a, b *Schema) bool { return a.root.id == b.root.id }
