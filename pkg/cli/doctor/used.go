package doctor

import (
	"fmt"
	"net/url"
	"strings"

	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/doctor/checkup"
)

// items is a list of objects.
type items[T any] struct {
	Items []T `json:"items"`
}

func listFact[T any](g *gatherer, path string) checkup.Fact[[]T] {
	list := getFact[items[T]](g, path)
	return checkup.Fact[[]T]{Value: list.Value.Items, Absent: list.Absent, Unread: list.Unread}
}

// readUsed reads the features that handlers need, and which of them the cluster has.
func (g *gatherer) readUsed() {
	f := g.facts
	inside := ""
	if f.Namespace != "" {
		inside = "/namespaces/" + f.Namespace
	}
	g.startRead(func() {
		f.Handlers = listFact[v1.GatiHandler](g, "/apis/"+v1.GroupVersion.String()+inside+"/gatihandlers")
	})
	g.startRead(func() {
		f.Modules = listFact[v1.GatiModule](g, "/apis/"+v1.GroupVersion.String()+inside+"/gatimodules")
	})
	g.startRead(func() {
		f.GatewayClasses = listFact[checkup.GatewayClass](g, "/apis/gateway.networking.k8s.io/v1/gatewayclasses")
	})
	g.startRead(func() {
		ours := "?labelSelector=" + url.QueryEscape(v1.LabelManagedBy+"="+v1.ManagedBy)
		f.Routes = listFact[checkup.Route](g, "/apis/gateway.networking.k8s.io/v1"+inside+"/httproutes"+ours)
	})
	g.startRead(func() {
		f.MetricsAPI = getFact[checkup.Conditioned](g, "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io")
	})
	g.startRead(g.readPrometheus)
}

// readPrometheus reads which Prometheus gati-webhook asks. Its address is of use from
// within the cluster alone, so the Service behind it is looked at.
func (g *gatherer) readPrometheus() {
	type configMap struct {
		Data map[string]string `json:"data"`
	}
	config := getFact[configMap](g, fmt.Sprintf("/api/v1/namespaces/%s/configmaps/%s", systemNamespace, webhookName))
	g.facts.Prometheus.Unread = config.Unread
	var set struct {
		URL string `json:"prometheus-url"`
	}
	if err := yaml.Unmarshal([]byte(config.Value.Data["config.yaml"]), &set); err != nil {
		g.facts.Prometheus.Unread = "its config.yaml is no YAML"
	}
	g.facts.Prometheus.Value = set.URL
	if set.URL == "" {
		return
	}
	name, namespace, ok := serviceOf(set.URL)
	if !ok {
		g.facts.PrometheusPods.Unread = "it is not the address of a Service"
		return
	}
	if service := getFact[struct{}](g, "/api/v1/namespaces/"+namespace+"/services/"+name); !service.Known() {
		g.facts.PrometheusPods.Absent, g.facts.PrometheusPods.Unread = service.Absent, service.Unread
		return
	}
	type slice struct {
		Endpoints []struct {
			Conditions struct {
				Ready *bool `json:"ready"`
			} `json:"conditions"`
		} `json:"endpoints"`
	}
	slices := listFact[slice](g, "/apis/discovery.k8s.io/v1/namespaces/"+namespace+"/endpointslices?labelSelector=kubernetes.io/service-name%3D"+name)
	g.facts.PrometheusPods.Unread = slices.Unread
	for _, s := range slices.Value {
		for _, e := range s.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				g.facts.PrometheusPods.Value++
			}
		}
	}
}

// serviceOf takes the name of a Service, NAME.NAMESPACE.svc and so on, out of an
// address.
func serviceOf(address string) (name, namespace string, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", false
	}
	parts := strings.Split(u.Hostname(), ".")
	if len(parts) < 2 || len(parts) > 2 && parts[2] != "svc" {
		return "", "", false
	}
	return parts[0], parts[1], true
}
