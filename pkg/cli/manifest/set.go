package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// Set has the objects of some files.
type Set struct {
	Documents []admit.Document
	// Broken is the error of a text that is no stream of documents.
	Broken []error
	// images are the annotations gati.dev/image of the Namespaces among them.
	images map[string]string
}

// Read reads all of the files.
func (f *Files) Read(in io.Reader) (*Set, error) {
	s := &Set{}
	err := f.Each(in, func(source string, r io.Reader) error {
		docs, err := admit.Split(r, source)
		if err != nil {
			s.Broken = append(s.Broken, err)
		}
		for _, d := range docs {
			s.Add(d)
		}
		return nil
	})
	return s, err
}

// Add adds a document.
func (s *Set) Add(d admit.Document) {
	s.Documents = append(s.Documents, d)
	s.recordImage(&d)
}

// recordImage notes the image that a Namespace names.
func (s *Set) recordImage(doc *admit.Document) {
	if doc.Kind.Kind != "Namespace" || doc.Kind.Group != "" {
		return
	}
	var ns struct {
		Metadata struct {
			Name        string            `json:"name"`
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if json.Unmarshal(doc.Content, &ns) == nil {
		if s.images == nil {
			s.images = map[string]string{}
		}
		s.images[ns.Metadata.Name] = ns.Metadata.Annotations[v1.AnnotationImage]
	}
}

// NamespaceImage returns the image that a Namespace among the documents names, and whether
// there is such a Namespace.
func (s *Set) NamespaceImage(namespace string) (image string, found bool) {
	image, found = s.images[namespace]
	return image, found
}

// Facts are the facts without a cluster: all APIs count as served, because a declared route
// is one of the children. The image is that of the Namespace among the documents, or the
// one given.
func (s *Set) Facts(namespace, image string) facts.Facts {
	return facts.Facts{
		Namespace:       cmp.Or(namespace, "<namespace>"),
		NamespaceImage:  cmp.Or(image, s.images[namespace]),
		HTTPRouteServed: true, ScaledObjectServed: true,
	}
}

// Ours are the documents of gati.dev. Without any it returns an error that names
// the files.
func (s *Set) Ours(files *Files) ([]admit.Document, error) {
	var out []admit.Document
	for _, d := range s.Documents {
		if !d.Foreign {
			out = append(out, d)
		}
	}
	if len(out) == 0 && len(s.Broken) == 0 {
		return nil, fmt.Errorf("no GatiHandler, GatiModule or GatiVersion found in %s", files)
	}
	return out, nil
}

// Place says where a document stands and which object it is.
func Place(d *admit.Document) string {
	return strings.TrimSpace(fmt.Sprintf("%s:%d: %s", d.Source, LinesOf(d).LineOf(""), Title(d)))
}

// Title names the object of a document, as far as it has a name.
func Title(d *admit.Document) string {
	var named struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if d.Kind.Empty() {
		return ""
	}
	_ = json.Unmarshal(d.Content, &named) // what has another form has no name
	return d.Kind.Kind + " " + cmp.Or(named.Metadata.Name, "without a name")
}
