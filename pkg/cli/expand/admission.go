package expand

import (
	"io"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/cli/manifest"
)

// admission is the pipeline of the webhook.
type admission struct{ seen manifest.Set }

var _ pipeline = &admission{}

func (a *admission) decode(r io.Reader, source string) ([]document, error) {
	decoded, err := admit.Decode(r, source)
	out := make([]document, len(decoded))
	for i, d := range decoded {
		a.seen.Add(d)
		out[i] = document{source: d.Source, line: d.Line, object: d.Object, foreign: d.Foreign}
	}
	return out, err
}

func (a *admission) run(object client.Object, image string) result {
	r := admit.Check(object, nil, admit.Surroundings{Facts: a.seen.Facts(object.GetNamespace(), image)})
	return result{errors: r.Errors, warnings: r.Warnings, plan: r.Expand(object)}
}
