package weather

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// snapshot is what the API server has of a namespace.
type snapshot struct {
	handlers    []v1.GatiHandler
	deployments map[string]appsv1.Deployment
	routes      map[string]gatewayv1.HTTPRoute
	// rows are the columns of kubectl get by handler.
	rows map[string]map[string]string
}

// checkAgreement returns what of a namespace is not at rest, or disagrees.
func (p *place) checkAgreement(ctx context.Context) error {
	at, err := p.readSnapshot(ctx)
	if err != nil {
		return err
	}
	for i := range at.handlers {
		h := &at.handlers[i]
		for _, check := range []func(*v1.GatiHandler) error{atRest, conditionsAgree, at.columnsAgree, at.routeAgrees, at.podsAgree} {
			if err := check(h); err != nil {
				return fmt.Errorf("%s/%s: %w\n%s", h.Namespace, h.Name, err, describeStatus(h))
			}
		}
	}
	return nil
}

func (p *place) readSnapshot(ctx context.Context) (snapshot, error) {
	out := snapshot{deployments: map[string]appsv1.Deployment{}, routes: map[string]gatewayv1.HTTPRoute{}}
	var deployments appsv1.DeploymentList
	var routes gatewayv1.HTTPRouteList
	var handlers v1.GatiHandlerList
	for _, list := range []client.ObjectList{&deployments, &routes, &handlers} {
		if err := admin.List(ctx, list, client.InNamespace(p.ns)); err != nil {
			return out, err
		}
	}
	for _, d := range deployments.Items {
		out.deployments[d.Name] = d
	}
	for _, r := range routes.Items {
		out.routes[r.Name] = r
	}
	out.handlers = handlers.Items
	if len(out.handlers) != len(p.handlers) {
		return out, fmt.Errorf("%s has %d handlers, want %d", p.ns, len(out.handlers), len(p.handlers))
	}
	var err error
	out.rows, err = p.readColumns(ctx)
	return out, err
}

// readColumns returns what kubectl get shows.
func (p *place) readColumns(ctx context.Context) (map[string]map[string]string, error) {
	config := rest.CopyConfig(env.Config)
	config.GroupVersion, config.APIPath, config.NegotiatedSerializer = &v1.GroupVersion, "/apis", scheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	raw, err := c.Get().Namespace(p.ns).Resource("gatihandlers").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	var table metav1.Table
	if err := json.Unmarshal(raw, &table); err != nil {
		return nil, err
	}
	out := map[string]map[string]string{}
	for _, row := range table.Rows {
		cells := map[string]string{}
		for i, c := range table.ColumnDefinitions {
			cells[c.Name] = fmt.Sprint(row.Cells[i])
		}
		out[cells["Name"]] = cells
	}
	return out, nil
}

// atRest: the spec was seen, and nothing is under way but what waits for a user.
func atRest(h *v1.GatiHandler) error {
	r := h.Status.Rollout
	switch {
	case h.Status.ObservedGeneration != h.Generation:
		return fmt.Errorf("generation %d is not seen yet", h.Generation)
	case r == nil:
		return fmt.Errorf("it has no rollout")
	case r.Phase != v1.RolloutStable && !meta.IsStatusConditionTrue(h.Status.Conditions, v1.ConditionStalled):
		return fmt.Errorf("its rollout is %s", r.Phase)
	}
	for _, v := range h.Status.Versions {
		if v.Phase == v1.VersionDraining && (v.Stays == nil || v.Stays.NotBefore != nil) {
			return fmt.Errorf("%s drains: %+v", v.Version, v.Stays)
		}
	}
	return nil
}

// conditionsAgree: the conditions and the verdict say the same.
func conditionsAgree(h *v1.GatiHandler) error {
	is := func(condition string) bool { return meta.IsStatusConditionTrue(h.Status.Conditions, condition) }
	ready, stalled, working := is(v1.ConditionReady), is(v1.ConditionStalled), is(v1.ConditionReconciling)
	switch {
	case stalled && working:
		return fmt.Errorf("Stalled and Reconciling are both True")
	case ready && (stalled || working):
		return fmt.Errorf("Ready is True beside Stalled or Reconciling")
	case ready != (h.Status.Health == v1.Healthy):
		return fmt.Errorf("Ready is %v and the verdict %s", ready, h.Status.Health)
	case !ready && !stalled:
		return fmt.Errorf("it is neither Ready nor Stalled")
	case is(v1.ConditionAvailable) == isLost(h, h.Status.Rollout.Stable.Workload):
		return fmt.Errorf("Available is %v", is(v1.ConditionAvailable))
	case ready && h.Status.Serving != h.Status.Version && h.Spec.Rollout.Strategy != v1.StrategyManual:
		return fmt.Errorf("it is Ready, and %s serves", h.Status.Serving)
	}
	for _, c := range h.Status.Conditions {
		if c.ObservedGeneration != h.Generation {
			return fmt.Errorf("%s is of generation %d", c.Type, c.ObservedGeneration)
		}
	}
	return nil
}

// columnsAgree: kubectl get shows what the status says.
func (at snapshot) columnsAgree(h *v1.GatiHandler) error {
	row := at.rows[h.Name]
	for column, want := range map[string]string{
		"Version": h.Status.Serving, "Ready": h.Status.Ready, "Status": string(h.Status.Health), "Declared": h.Status.Version, "Weights": h.Status.Weights,
	} {
		if row[column] != want {
			return fmt.Errorf("the column %s shows %q, the status has %q", column, row[column], want)
		}
	}
	return nil
}

// routeAgrees: the route has the weights that were decided and accepted, all of the
// traffic.
func (at snapshot) routeAgrees(h *v1.GatiHandler) error {
	total := int32(0)
	decided := map[string]int32{}
	for _, v := range h.Status.Versions {
		total += v.Weight
		if v.Weight > 0 {
			decided[serviceOf(h, v)] += v.Weight
		}
	}
	if total != 100 {
		return fmt.Errorf("the weights add up to %d", total)
	}
	if h.Spec.Route == nil {
		return nil
	}
	route, ok := at.routes["handler-"+h.Name]
	if !ok {
		return fmt.Errorf("it has no route")
	}
	routed := weightsOf(&route)
	if len(decided) == 1 && len(routed) == 1 {
		return nil // All of the traffic, by the front or the version's own Service.
	}
	if fmt.Sprint(routed) != fmt.Sprint(decided) {
		return fmt.Errorf("the route has %v, decided is %v", routed, decided)
	}
	return nil
}

// podsAgree: what has weight has ready pods, the counts are those of the Deployments,
// and no Deployment is left over.
func (at snapshot) podsAgree(h *v1.GatiHandler) error {
	live := map[string]bool{}
	for _, v := range h.Status.Versions {
		if v.Workload == "" || v.Phase == v1.VersionDecommissioned {
			continue
		}
		name := deploymentOf(h, v)
		live[name] = true
		d, ok := at.deployments[name]
		switch {
		case !ok && isLost(h, v.Workload):
			continue
		case !ok && v.Weight > 0:
			return fmt.Errorf("%s has %d %% and no Deployment", v.Version, v.Weight)
		case !ok:
			continue
		case v.Weight > 0 && d.Status.ReadyReplicas == 0:
			return fmt.Errorf("%s has %d %% and no ready pod", v.Version, v.Weight)
		case d.Status.ReadyReplicas != *d.Spec.Replicas:
			return fmt.Errorf("%s has %d of %d pods", name, d.Status.ReadyReplicas, *d.Spec.Replicas)
		}
		if v.Workload == h.Status.Rollout.Stable.Workload && h.Status.ReadyReplicas != d.Status.ReadyReplicas {
			return fmt.Errorf("%s has %d ready pods, the status says %d", name, d.Status.ReadyReplicas, h.Status.ReadyReplicas)
		}
	}
	for name, d := range at.deployments {
		if metav1.IsControlledBy(&d, h) && !live[name] {
			return fmt.Errorf("Deployment %s is left over", name)
		}
	}
	return nil
}

// isLost reports whether the status says that both a Deployment and the revision
// that holds its template are gone: no pod can be had until a user acts.
func isLost(h *v1.GatiHandler, workload string) bool {
	name := deploymentOf(h, v1.VersionStatus{Workload: workload})
	return slices.ContainsFunc(h.Status.Children, func(c v1.ChildStatus) bool {
		return c.Kind == "Deployment.apps" && c.Name == name && strings.Contains(c.Message, "and so is Deployment "+name)
	})
}

func deploymentOf(h *v1.GatiHandler, v v1.VersionStatus) string {
	if v.Workload == "main" {
		return "handler-" + h.Name
	}
	return "handler-" + h.Name + "--" + v.Workload
}

func serviceOf(h *v1.GatiHandler, v v1.VersionStatus) string { return deploymentOf(h, v) }

// weightsOf returns the backends of the rule without a pin that have weight.
func weightsOf(r *gatewayv1.HTTPRoute) map[string]int32 {
	out := map[string]int32{}
	for _, rule := range r.Spec.Rules {
		pinned := slices.ContainsFunc(rule.Matches, func(m gatewayv1.HTTPRouteMatch) bool { return len(m.Headers) > 0 })
		if pinned {
			continue
		}
		for _, b := range rule.BackendRefs {
			if b.Weight == nil || *b.Weight > 0 {
				weight := int32(100)
				if b.Weight != nil {
					weight = *b.Weight
				}
				out[string(b.Name)] = weight
			}
		}
	}
	return out
}

// describeStatus shows a handler's status in a failure.
func describeStatus(h *v1.GatiHandler) string {
	var out []string
	for _, c := range h.Status.Conditions {
		out = append(out, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	for _, v := range h.Status.Versions {
		out = append(out, fmt.Sprintf("  %s r%d %s workload %s weight %d", v.Version, v.RevisionNumber, v.Phase, v.Workload, v.Weight))
	}
	if r := h.Status.Rollout; r != nil {
		out = append(out, fmt.Sprintf("  %s %s step %d, waits for %+v", r.Phase, r.Mode, r.Step, r.WaitingFor))
		for _, e := range r.History {
			out = append(out, fmt.Sprintf("  %s %s %s→%s %s", e.By, e.What, e.From, e.To, e.Why))
		}
	}
	for _, c := range h.Status.Children {
		if c.Message != "" {
			out = append(out, fmt.Sprintf("  %s %s: %s", c.Kind, c.Name, c.Message))
		}
	}
	return strings.Join(out, "\n")
}
