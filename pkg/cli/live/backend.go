package live

import (
	"bytes"
	"context"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/version"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/tui"
)

// backend asks one cluster, until its context ends.
type backend struct {
	ctx    context.Context
	env    *env.Env
	client client.Client
}

// New returns the Backend of a client. Each call ends with the context.
func New(ctx context.Context, e *env.Env, c client.Client) tui.Backend {
	return &backend{ctx, e, c}
}

// Rights asks for each verb, side by side. An unanswered one is not grey: the
// server has the last word anyway.
func (b *backend) Rights(of tui.Target) tui.Rights {
	ctx, cancel := cluster.Bounded(b.ctx, b.env)
	defer cancel()
	may := func(verb string) bool {
		allowed, err := cluster.May(ctx, b.client, authorizationv1.ResourceAttributes{
			Namespace: of.Namespace, Name: of.Name, Group: v1.Group, Resource: "gatihandlers", Verb: verb,
		})
		return allowed || err != nil
	}
	var asking sync.WaitGroup
	granted := make([]bool, len(tui.Verbs))
	writes := false
	asking.Go(func() { writes = may("patch") })
	for i, verb := range tui.Verbs {
		asking.Go(func() { granted[i] = may(string(verb)) })
	}
	asking.Wait()
	rights := tui.Rights{}
	for i, verb := range tui.Verbs {
		switch {
		case !granted[i]:
			rights[verb] = "you do not have this right in " + of.Namespace + "; the roles gati-edit and gati-admin have it"
		case !writes:
			rights[verb] = "you may not patch gatihandlers in " + of.Namespace + "; the roles gati-edit and gati-admin may"
		}
	}
	return rights
}

// Preview returns the output of "rollout VERB NAME --dry-run".
func (b *backend) Preview(r tui.Request) tui.Preview {
	answer, err := ask.One(b.ctx, b.env, b.client, keyOf(r.Target), requestOf(r), true)
	return tui.Preview{Change: answer.Change, Undo: answer.Undo, Err: err}
}

// Ask does what "rollout VERB NAME" does.
func (b *backend) Ask(r tui.Request) tui.Outcome {
	answer, err := ask.One(b.ctx, b.env, b.client, keyOf(r.Target), requestOf(r), false)
	return tui.Outcome{Text: answer.Outcome, Err: err}
}

// Compare returns the output of "version diff NAME OLD NEW".
func (b *backend) Compare(of tui.Target, old, new string) (string, error) {
	var out, warnings bytes.Buffer
	e := *b.env
	e.Streams.Out, e.Streams.ErrOut = &out, &warnings
	err := version.Compare(b.ctx, &e, of.Namespace, of.Name, old, new)
	return strings.TrimSpace(out.String() + "\n" + warnings.String()), err
}

func keyOf(of tui.Target) client.ObjectKey {
	return client.ObjectKey{Namespace: of.Namespace, Name: of.Name}
}

func requestOf(r tui.Request) request.Request {
	return request.Request{Verb: request.Verb(r.Verb), Argument: r.Argument}
}
