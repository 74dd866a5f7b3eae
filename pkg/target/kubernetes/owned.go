package kubernetes

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"gati.dev/gati/pkg/ownership"
)

// owned are the fields at one place of an object that a manager owns.
type owned struct {
	// all are owned by apply or since the create, created since the create.
	all, created *fieldpath.Set
	// anyone are those that some manager owns, nil where only ours matter.
	anyone *fieldpath.Set
	// isWhole reports that the place is owned as a whole, as a Service's selector.
	isWhole bool
	// isLeftByCreate reports that the place is owned since the create and none of its
	// parts is: it may be owned as a whole, or be all that others have left.
	isLeftByCreate bool
	// isText reports that the place is a map of texts, to which the server adds none.
	isText bool
}

// ownedBy returns the fields that a manager owns, by apply and by the first create.
func ownedBy(entries []metav1.ManagedFieldsEntry, manager string) owned {
	out := owned{all: &fieldpath.Set{}, created: &fieldpath.Set{}}
	for _, e := range entries {
		if e.Manager != manager || e.Subresource != "" {
			continue
		}
		fields := ownership.Fields(e)
		out.all = out.all.Union(fields)
		if e.Operation == metav1.ManagedFieldsOperationUpdate {
			out.created = out.created.Union(fields)
		}
	}
	return out
}

// besideOthers returns the fields that a manager owns, with the fields that are owned as a
// whole, also by others.
func besideOthers(entries []metav1.ManagedFieldsEntry, manager string) owned {
	out := ownedBy(entries, manager)
	out.anyone = &fieldpath.Set{}
	for _, e := range entries {
		out.anyone = out.anyone.Union(ownership.Fields(e))
	}
	return out
}

// textMaps are the fields whose parts are texts by name.
var textMaps = []string{"labels", "annotations", "matchLabels", "data", "nodeSelector"}

func (o owned) hasParts() bool { return !o.all.Empty() }

// fieldOf returns the owned parts of a field, and whether there are any.
func (o owned) fieldOf(name string) (owned, bool) {
	part, ok := o.partAt(fieldpath.FieldNameElement(name))
	part.isText = slices.Contains(textMaps, name)
	return part, ok
}

func (o owned) partAt(at fieldpath.PathElement) (owned, bool) {
	out := owned{all: partOf(o.all, at), created: partOf(o.created, at)}
	if o.anyone != nil {
		out.anyone = partOf(o.anyone, at)
		out.isWhole = o.anyone.Members.Has(at) && out.anyone.Empty()
	}
	out.isLeftByCreate = o.created.Members.Has(at) && !out.hasParts()
	return out, ownership.Has(o.all, at)
}

func partOf(set *fieldpath.Set, at fieldpath.PathElement) *fieldpath.Set {
	if part, ok := set.Children.Get(at); ok {
		return part
	}
	return &fieldpath.Set{}
}

// hasValue reports whether an item of a list that is a set is owned.
func (o owned) hasValue(item any) bool {
	return o.all.Members.Has(fieldpath.ValueElement(value.NewValueInterface(item)))
}

// itemOf returns the owned fields of an item of a keyed list, and its keys. A key that the
// item leaves out has a default, such as a port's protocol.
func (o owned) itemOf(object map[string]any) (fields owned, keys value.FieldList, ok bool) {
	for _, at := range o.listParts() {
		if at.Key != nil && hasKeys(object, *at.Key) {
			fields, ok = o.partAt(at)
			return fields, *at.Key, ok
		}
	}
	return owned{}, nil, false
}

// isKeyed reports whether the place is a list whose items are owned one by one.
func (o owned) isKeyed() bool {
	for _, at := range o.listParts() {
		if at.Key != nil {
			return true
		}
	}
	return false
}

// listParts returns each place below, those that are owned with all below them twice. It
// gathers them with Iterate: the library's All panics where a loop over it ends early
// (structured-merge-diff v6.4.2).
func (o owned) listParts() []fieldpath.PathElement {
	var out []fieldpath.PathElement
	gather := func(at fieldpath.PathElement) { out = append(out, at) }
	o.all.Members.Iterate(gather)
	o.all.Children.Iterate(gather)
	return out
}

// findItem returns the item with the given keys.
func findItem(items []any, keys value.FieldList) any {
	for _, item := range items {
		if object, ok := item.(map[string]any); ok && hasKeys(object, keys) {
			return object
		}
	}
	return nil
}

func hasKeys(object map[string]any, keys value.FieldList) bool {
	for _, key := range keys {
		if have, isSet := object[key.Name]; isSet && !value.Equals(value.NewValueInterface(have), key.Value) {
			return false
		}
	}
	return true
}
