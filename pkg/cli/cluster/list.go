package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// chunk is how many objects one answer may hold, as kubectl asks.
const chunk = 500

// page is a pointer to a list type L.
type page[L any] interface {
	*L
	client.ObjectList
}

// listAll reads all objects that the options select, in chunks. Each chunk is
// decoded into a list of its own: decoding into a used one would share memory
// with what was read before.
func listAll[T, L any, P page[L]](ctx context.Context, c client.Reader, items func(P) []T, opts ...client.ListOption) ([]T, error) {
	var all []T
	next := ""
	for {
		p := P(new(L))
		if err := c.List(ctx, p, append(opts[:len(opts):len(opts)], client.Limit(chunk), client.Continue(next))...); err != nil {
			return nil, err
		}
		if all == nil {
			all = items(p)
		} else {
			all = append(all, items(p)...)
		}
		if next = p.GetContinue(); next == "" {
			return all, nil
		}
	}
}

// selectorOption returns the option that selects by labels.
func selectorOption(selector string) (client.ListOption, error) {
	s, err := labels.Parse(selector)
	if err != nil {
		return nil, fmt.Errorf("selector %q: %w", selector, err)
	}
	return client.MatchingLabelsSelector{Selector: s}, nil
}
