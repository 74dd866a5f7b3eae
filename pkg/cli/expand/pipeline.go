package expand

import (
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pipeline has the functions of admission that the command needs: the same functions that the
// webhook runs.
type pipeline interface {
	// decode reads the documents of a stream. With an error, it returns those
	// that it could read.
	decode(r io.Reader, source string) ([]document, error)
	// run judges and expands one object; image stands for the namespace's
	// annotation gati.dev/image.
	run(object client.Object, image string) result
}

// document is one object of a manifest, at a line.
type document struct {
	source  string
	line    int
	object  client.Object
	foreign bool
}

// result is the pipeline's result for one object.
type result struct {
	errors   field.ErrorList
	warnings []string
	plan     []client.Object
}
