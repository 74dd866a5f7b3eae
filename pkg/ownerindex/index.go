// Package ownerindex finds the children of one handler or module in a cache without
// walking over those of all others.
package ownerindex

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// indexName is the index of cached objects by the handler or module that their labels
// name.
const indexName = "gati.owner"

// unowned is the index's key for objects that belong to nothing yet.
const unowned = "-"

// Client is a cached client whose lists by owner use the index. It answers as the
// client does.
type Client struct {
	client.Client
	indexed map[reflect.Type]bool
}

// New indexes the given kinds in the manager's cache. lists are empty lists
// of the same kinds, in the same order.
func New(ctx context.Context, c client.Client, indexer client.FieldIndexer, kinds []client.Object, lists []client.ObjectList) (*Client, error) {
	out := &Client{Client: c, indexed: map[reflect.Type]bool{}}
	for i, kind := range kinds {
		if err := indexer.IndexField(ctx, kind, indexName, ownerKeys); err != nil {
			return nil, fmt.Errorf("index %T by owner: %w", kind, err)
		}
		out.indexed[reflect.TypeOf(lists[i])] = true
	}
	return out, nil
}

// List implements client.Reader.
func (c *Client) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := (&client.ListOptions{}).ApplyOptions(opts)
	if key := ownerKey(o.LabelSelector); key != "" && o.FieldSelector == nil && c.indexed[reflect.TypeOf(list)] {
		opts = append(opts, client.MatchingFields{indexName: key})
	}
	return c.Client.List(ctx, list, opts...)
}

// ownerKeys are the keys under which an object is found.
func ownerKeys(obj client.Object) []string {
	for _, label := range ownerLabels {
		if name := obj.GetLabels()[label]; name != "" {
			return []string{label + "=" + name}
		}
	}
	return []string{unowned}
}

var ownerLabels = []string{v1.LabelHandler, v1.LabelModule}

// ownerKey returns the key that a label selector asks for, empty when it asks for
// no one owner.
func ownerKey(selector labels.Selector) string {
	if selector == nil {
		return ""
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		for _, label := range ownerLabels {
			switch {
			case r.Key() != label:
			case r.Operator() == selection.DoesNotExist:
				return unowned
			case len(r.ValuesUnsorted()) == 1 && (r.Operator() == selection.Equals || r.Operator() == selection.In):
				return label + "=" + r.ValuesUnsorted()[0]
			}
		}
	}
	return ""
}
