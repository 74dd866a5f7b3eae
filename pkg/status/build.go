package status

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Build returns the state that the objects show at the moment now. Equal input
// gives an equal snapshot, whatever the order of the lists.
func Build(objs Objects, now time.Time) Snapshot {
	b := &builder{objs: &objs, index: indexOf(&objs), now: now}
	s := Snapshot{
		APIVersion: APIVersion,
		Kind:       Kind,
		Namespace:  objs.Namespace,
		Time:       metav1.NewTime(now.UTC().Truncate(time.Second)),
		Handlers:   []Handler{},
		Modules:    []Module{},
		Unread:     unread(objs.Unread),
	}
	for i := range objs.Handlers {
		s.Handlers = append(s.Handlers, b.handler(&objs.Handlers[i]))
	}
	for i := range objs.Modules {
		s.Modules = append(s.Modules, b.module(&objs.Modules[i]))
	}
	s.Unbound = b.unbound()
	slices.SortFunc(s.Handlers, func(a, b Handler) int { return compareItems(&a.Item, &b.Item) })
	slices.SortFunc(s.Modules, func(a, b Module) int { return compareItems(&a.Item, &b.Item) })
	return s
}

// builder carries what every step of a build reads.
type builder struct {
	objs  *Objects
	index index
	now   time.Time
}

// compareItems puts namespaces in order, and in each the worst first.
func compareItems(a, b *Item) int {
	return cmp.Or(
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(b.Health.severity(), a.Health.severity()),
		cmp.Compare(a.Name, b.Name),
	)
}

// unread returns the unread lists in order, each once.
func unread(list []Unread) []Unread {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Unread) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.CompactFunc(list, func(a, b Unread) bool { return a.Resource == b.Resource })
}

// handler builds the view of one GatiHandler.
func (b *builder) handler(h *v1.GatiHandler) Handler {
	key := ownerKey{KindHandler, h.Namespace, h.Name}
	out := Handler{
		Item:     b.item(KindHandler, &h.ObjectMeta, h.Status.Children, h.Status.Conditions, h.Status.Resolved),
		Path:     h.Spec.Path,
		Methods:  h.Spec.Methods,
		Strategy: strategyOf(h),
		Version:  cmp.Or(h.Status.Version, string(h.Spec.Version)),
	}
	out.Phase, out.Observed = h.Status.Phase, observed(h.Status.ObservedGeneration, &h.ObjectMeta)
	out.Image = cmp.Or(h.Status.Image, h.Spec.Image)
	b.workloads(&out.Item, key, h.Status.Ready)
	out.Versions = b.versions(h, out.Workloads)
	out.Rollout = b.rollout(h, &out.Item)
	judge(evidence{&out.Item, &h.ObjectMeta, h.Status.ObservedGeneration, out.Rollout, out.aside()})
	return out
}

// module builds the view of one GatiModule.
func (b *builder) module(m *v1.GatiModule) Module {
	key := ownerKey{KindModule, m.Namespace, m.Name}
	out := Module{
		Item:         b.item(KindModule, &m.ObjectMeta, m.Status.Children, m.Status.Conditions, m.Status.Resolved),
		Type:         m.Spec.Type,
		Runtime:      m.Spec.Runtime,
		Capabilities: m.Spec.Capabilities,
	}
	out.Phase, out.Observed = m.Status.Phase, observed(m.Status.ObservedGeneration, &m.ObjectMeta)
	out.Image = cmp.Or(m.Status.Image, m.Spec.Image)
	b.workloads(&out.Item, key, m.Status.Ready)
	judge(evidence{item: &out.Item, meta: &m.ObjectMeta, observed: m.Status.ObservedGeneration})
	return out
}

func observed(generation int64, o *metav1.ObjectMeta) bool {
	return generation > 0 && generation >= o.Generation
}

// item fills in what needs neither pods nor a verdict.
func (b *builder) item(kind string, o *metav1.ObjectMeta, children []v1.ChildStatus, conditions []metav1.Condition, resolved *v1.ResolvedStatus) Item {
	item := Item{
		Kind:       kind,
		Namespace:  o.Namespace,
		Name:       o.Name,
		CreatedAt:  o.CreationTimestamp,
		Conditions: conditionsOf(conditions, o.Generation),
		Children:   speaking(children),
	}
	if resolved != nil {
		item.Derived = resolved.Derived
	}
	return item
}

// speaking returns the children that something is wrong with.
func speaking(children []v1.ChildStatus) []v1.ChildStatus {
	var out []v1.ChildStatus
	for _, c := range children {
		if c.Message != "" {
			out = append(out, c)
		}
	}
	return out
}

// strategyOf returns the strategy, also of an object that was never defaulted.
func strategyOf(h *v1.GatiHandler) v1.Strategy {
	if h.Spec.Rollout == nil || h.Spec.Rollout.Strategy == "" {
		return v1.StrategyRollingUpdate
	}
	return h.Spec.Rollout.Strategy
}
