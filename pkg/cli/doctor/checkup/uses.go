package checkup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

// titleOf names an object, with its namespace where all are looked at.
func (f *Facts) titleOf(kind string, object metav1.Object) string {
	if f.Namespace == "" {
		return kind + "/" + object.GetName() + " -n " + object.GetNamespace()
	}
	return kind + "/" + object.GetName()
}

// handlersThat are the handlers that want something of the cluster.
func handlersThat(f *Facts, wants func(*v1.GatiHandler) bool) string {
	var found []string
	for i := range f.Handlers.Value {
		if h := &f.Handlers.Value[i]; wants(h) {
			found = append(found, f.titleOf("gh", h))
		}
	}
	const most = 3
	if len(found) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(found[:most], ", "), len(found)-most)
	}
	return strings.Join(found, ", ")
}

func hasRoute(h *v1.GatiHandler) bool { return h.Spec.Route != nil }

func checkGateway(f *Facts) []Finding {
	users := handlersThat(f, hasRoute)
	if !hasGatewayAPI(f) {
		if users == "" {
			return newSuccess(fmt.Sprintf("the Gateway API is not installed; no handler of %s uses it", f.scope("any namespace")))
		}
		return []Finding{newProblem(users, "has a route, but the cluster does not serve gateway.networking.k8s.io/v1",
			"install the Gateway API and a gateway, or remove spec.route")}
	}
	var found []Finding
	for i := range f.GatewayClasses.Value {
		class := &f.GatewayClasses.Value[i]
		if c := findCondition(class.Status.Conditions, "Accepted"); c == nil || c.Status != "True" {
			found = append(found, newProblem("gatewayclass/"+class.Metadata.Name, "is not accepted"+reasonSuffix(c),
				"see whether its controller runs: "+class.Spec.ControllerName))
		}
	}
	if f.GatewayClasses.Unread == "" && len(f.GatewayClasses.Value) == 0 && users != "" {
		found = append(found, newProblem(users, "has a route, but no GatewayClass exists", "install a gateway"))
	}
	return found
}

// hasGatewayAPI reports whether the cluster may serve the Gateway API.
func hasGatewayAPI(f *Facts) bool {
	return !f.Served.Known() || slices.Contains(f.Served.Value["gateway.networking.k8s.io"], "v1")
}

func checkRoutes(f *Facts) []Finding {
	if f.Routes.Absent {
		return newSuccess("there are no routes in " + f.scope("any namespace"))
	}
	var found []Finding
	for i := range f.Routes.Value {
		found = append(found, findRefusals(&f.Routes.Value[i])...)
	}
	return found
}

// findRefusals returns the refusals of a route's gateways.
func findRefusals(r *Route) []Finding {
	var found []Finding
	object := "httproute/" + r.Metadata.Name + " -n " + r.Metadata.Namespace
	for _, parent := range r.Spec.ParentRefs {
		claimed := false
		for i := range r.Status.Parents {
			p := &r.Status.Parents[i]
			if p.ParentRef.Name != parent.Name {
				continue
			}
			claimed = true
			for _, kind := range []string{"Accepted", "ResolvedRefs"} {
				if c := findCondition(p.Conditions, kind); c == nil || c.Status != "True" {
					found = append(found, newProblem(object, fmt.Sprintf("gateway %s says %s is not True%s", parent.Name, kind, reasonSuffix(c)), "see "+remedy.ShowGateway.For(parent.Name, cmp.Or(parent.Namespace, r.Metadata.Namespace))))
				}
			}
		}
		if !claimed {
			found = append(found, newProblem(object, "no gateway has accepted it for "+parent.Name, "see whether that Gateway exists and its controller runs: "+string(remedy.ShowGateways)))
		}
	}
	return found
}

func checkMetricsAPI(f *Facts) []Finding {
	users := handlersThat(f, func(h *v1.GatiHandler) bool {
		return h.Spec.Autoscaling != nil && h.Spec.Autoscaling.Enabled != nil && *h.Spec.Autoscaling.Enabled
	})
	switch {
	case f.MetricsAPI.Unread != "":
		return nil
	case f.MetricsAPI.Absent && users == "":
		return newSuccess(fmt.Sprintf("the metrics API is not installed; no handler of %s has an autoscaler", f.scope("any namespace")))
	case f.MetricsAPI.Absent:
		return []Finding{newProblem(users, "has an autoscaler, but metrics.k8s.io is not served", "install metrics-server")}
	}
	if c := findCondition(f.MetricsAPI.Value.Status.Conditions, "Available"); c == nil || c.Status != "True" {
		return []Finding{newProblem("apiservice/v1beta1.metrics.k8s.io", "is not available"+reasonSuffix(c), "see what it says: "+string(remedy.ShowMetricsAPI))}
	}
	return nil
}

func checkPrometheus(f *Facts) []Finding {
	users := handlersThat(f, func(h *v1.GatiHandler) bool { return h.Spec.Rollout != nil && h.Spec.Rollout.Analysis != nil })
	hint := "set prometheus-url in the ConfigMap gati-webhook of gati-system, and restart both Deployments there"
	address := f.Prometheus.Value
	switch {
	case f.Prometheus.Unread != "" || f.PrometheusPods.Unread != "":
		return nil
	case address == "" && users != "":
		return newNote(users+" has an analysis, but no Prometheus is configured: only the pods' own counters are available", hint)
	case address == "":
		return newSuccess("no Prometheus is configured")
	case f.PrometheusPods.Absent:
		return []Finding{newProblem("", "the configured Prometheus "+address+" does not exist", hint)}
	case f.PrometheusPods.Value == 0:
		return []Finding{newProblem("", "the configured Prometheus "+address+" has no ready pod", "see why Prometheus does not run")}
	default:
		return nil
	}
}
