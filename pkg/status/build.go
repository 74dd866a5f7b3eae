package status

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Build returns the state that the objects show at the moment now. Equal input gives
// an equal snapshot in any order of the lists.
func Build(objs Objects, now time.Time) Snapshot {
	b := &builder{objs: &objs, index: newIndex(&objs), now: now}
	s := Snapshot{
		APIVersion: APIVersion,
		Kind:       Kind,
		Namespace:  objs.Namespace,
		Time:       metav1.NewTime(now.UTC().Truncate(time.Second)),
		Handlers:   []Handler{},
		Modules:    []Module{},
		Unread:     sortUnread(objs.Unread),
	}
	for i := range objs.Handlers {
		s.Handlers = append(s.Handlers, b.viewHandler(&objs.Handlers[i]))
	}
	for i := range objs.Modules {
		s.Modules = append(s.Modules, b.viewModule(&objs.Modules[i]))
	}
	s.Unbound = b.viewUnbound()
	slices.SortFunc(s.Handlers, func(a, b Handler) int { return compareItems(&a.Item, &b.Item) })
	slices.SortFunc(s.Modules, func(a, b Module) int { return compareItems(&a.Item, &b.Item) })
	return s
}

// builder holds the input of a build.
type builder struct {
	objs  *Objects
	index index
	now   time.Time
}

// compareItems orders by namespace, then by health with the worst first.
func compareItems(a, b *Item) int {
	return cmp.Or(
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(Severity(b.Health), Severity(a.Health)),
		cmp.Compare(a.Name, b.Name),
	)
}

// sortUnread returns the unread lists in order, each once.
func sortUnread(list []Unread) []Unread {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Unread) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.CompactFunc(list, func(a, b Unread) bool { return a.Resource == b.Resource })
}

// viewHandler builds the view of one GatiHandler.
func (b *builder) viewHandler(h *v1.GatiHandler) Handler {
	key := ownerKey{KindHandler, h.Namespace, h.Name}
	out := Handler{
		Item:     b.viewItem(KindHandler, &h.ObjectMeta, h.Status.Children, h.Status.Conditions, h.Status.Resolved),
		Path:     h.Spec.Path,
		Methods:  h.Spec.Methods,
		Strategy: strategyFor(h),
		Modules:  h.Spec.Modules,
		Version:  cmp.Or(h.Status.Version, string(h.Spec.Version)),
	}
	out.Phase, out.Observed = h.Status.Phase, isObserved(h.Status.ObservedGeneration, &h.ObjectMeta)
	out.Image = cmp.Or(h.Status.Image, h.Spec.Image)
	b.addWorkloads(&out.Item, key, h.Status.Ready)
	out.Versions = b.viewVersions(h, out.Workloads)
	out.Rollout = b.viewRollout(h, out.Conditions)
	out.Predictor = &Predictor{h, b.index.records[key], b.now}
	setVerdict(evidence{&out.Item, &h.ObjectMeta, h.Status.ObservedGeneration, h.Status.Health, out.Rollout, out.unusedWorkloads()})
	return out
}

// viewModule builds the view of one GatiModule.
func (b *builder) viewModule(m *v1.GatiModule) Module {
	key := ownerKey{KindModule, m.Namespace, m.Name}
	out := Module{
		Item:         b.viewItem(KindModule, &m.ObjectMeta, m.Status.Children, m.Status.Conditions, m.Status.Resolved),
		Type:         m.Spec.Type,
		Runtime:      m.Spec.Runtime,
		Capabilities: m.Spec.Capabilities,
		UsedBy:       m.Status.UsedBy,
		UsedByMore:   m.Status.UsedByMore,
	}
	out.Phase, out.Observed = m.Status.Phase, isObserved(m.Status.ObservedGeneration, &m.ObjectMeta)
	out.Image = cmp.Or(m.Status.Image, m.Spec.Image)
	b.addWorkloads(&out.Item, key, m.Status.Ready)
	setVerdict(evidence{item: &out.Item, meta: &m.ObjectMeta, observed: m.Status.ObservedGeneration, health: m.Status.Health})
	return out
}

func isObserved(generation int64, o *metav1.ObjectMeta) bool {
	return generation > 0 && generation >= o.Generation
}

// viewItem fills in the fields that need neither pods nor a verdict.
func (b *builder) viewItem(kind string, o *metav1.ObjectMeta, children []v1.ChildStatus, conditions []metav1.Condition, resolved *v1.ResolvedStatus) Item {
	item := Item{
		Kind:       kind,
		Namespace:  o.Namespace,
		Name:       o.Name,
		CreatedAt:  o.CreationTimestamp,
		Conditions: viewConditions(conditions, o.Generation),
		Children:   childrenWithMessages(children),
	}
	if resolved != nil {
		item.Derived = resolved.Derived
	}
	return item
}

// childrenWithMessages returns the children that have a problem.
func childrenWithMessages(children []v1.ChildStatus) []v1.ChildStatus {
	var out []v1.ChildStatus
	for _, c := range children {
		if c.Message != "" {
			out = append(out, c)
		}
	}
	return out
}

// strategyFor returns the strategy, also of an object that was never defaulted.
func strategyFor(h *v1.GatiHandler) v1.Strategy {
	if h.Spec.Rollout == nil || h.Spec.Rollout.Strategy == "" {
		return v1.StrategyRollingUpdate
	}
	return h.Spec.Rollout.Strategy
}
