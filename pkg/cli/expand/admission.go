package expand

import (
	"cmp"
	"io"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// admission is the pipeline of the webhook.
type admission struct{}

var _ pipeline = admission{}

func (admission) decode(r io.Reader, source string) ([]document, error) {
	decoded, err := admit.Decode(r, source)
	out := make([]document, len(decoded))
	for i, d := range decoded {
		out[i] = document{source: d.Source, index: d.Index, object: d.Object, foreign: d.Foreign}
	}
	return out, err
}

// run takes a cluster that serves every API for granted: a route that is asked
// for belongs to what would be created.
func (admission) run(object client.Object, image string) result {
	r := admit.Run(object, nil, facts.Facts{
		Namespace:       cmp.Or(object.GetNamespace(), "<namespace>"),
		NamespaceImage:  image,
		HTTPRouteServed: true,
	})
	return result{errors: r.Errors, warnings: r.Warnings, plan: r.Plan}
}
