package adopt

import (
	"slices"
	"strings"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// translateRoutes takes the path, and what leads to it, from the HTTPRoutes and Ingresses of
// the Services.
func (t *translation) translateRoutes() {
	for _, u := range t.source.Others {
		if u.GetKind() == "HTTPRoute" && t.leadsHere(u.Object) {
			t.translateRoute(t.open(u).root().enter("spec"))
		}
	}
	for _, u := range t.source.Others {
		if u.GetKind() == "Ingress" && t.leadsHere(u.Object) {
			t.translateIngress(t.open(u).root().enter("spec"))
		}
	}
}

// leadsHere reports whether an object refers to one of the Services.
func (t *translation) leadsHere(content any) bool {
	switch content := content.(type) {
	case map[string]any:
		for name, value := range content {
			backend, _ := value.(map[string]any)
			service, _ := backend["name"].(string)
			if name == "service" && t.leadsToService(service) || t.leadsHere(value) {
				return true
			}
			if refs, isList := value.([]any); isList && name == "backendRefs" && slices.ContainsFunc(refs, t.isOwnBackend) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(content, t.leadsHere)
	}
	return false
}

func (t *translation) isOwnBackend(ref any) bool {
	content, _ := ref.(map[string]any)
	kind, _ := content["kind"].(string)
	name, _ := content["name"].(string)
	return (kind == "" || kind == "Service") && t.leadsToService(name)
}

// translateRoute takes over the first rule that leads to the workload. Further rules are left.
func (t *translation) translateRoute(spec tree) {
	for _, rule := range spec.list("rules") {
		refs := rule.list("backendRefs")
		if t.handler.Spec.Route != nil || len(refs) != 1 || !t.isOwnBackend(refs[0].content) || !t.takeMatches(rule) {
			continue
		}
		rule.claim()
		refs[0].claim().dropAll("group", "kind", "name", "port", "weight")
		t.handler.Spec.Route = &v1.Route{
			ParentRefs: take[[]gatewayv1.ParentReference](spec, "parentRefs"),
			Hostnames:  take[[]gatewayv1.Hostname](spec, "hostnames"),
			PathMatch:  t.pathMatch(),
			Filters:    take[[]gatewayv1.HTTPRouteFilter](rule, "filters"),
			Timeouts:   take[*gatewayv1.HTTPRouteTimeouts](rule, "timeouts"),
		}
	}
}

// pathMatch returns what the path does not say itself.
func (t *translation) pathMatch() v1.PathMatch {
	if strings.ContainsAny(t.handler.Spec.Path, ":[") {
		return v1.PathMatchPrefix
	}
	return ""
}

// takeMatches takes the path of the first match, and the methods of all that have this path.
func (t *translation) takeMatches(rule tree) bool {
	isTaken := false
	for _, m := range rule.list("matches") {
		match, isDecoded := decodeAs[gatewayv1.HTTPRouteMatch](m.content)
		if !isDecoded || len(match.Headers)+len(match.QueryParams) > 0 {
			continue
		}
		path, isPlain := handlerPath(match.Path)
		if !isPlain || t.handler.Spec.Path != "" && t.handler.Spec.Path != path {
			continue
		}
		if isTaken && (match.Method == nil) != (len(t.handler.Spec.Methods) == 0) {
			continue
		}
		t.handler.Spec.Path, isTaken = path, true
		if match.Method != nil {
			t.handler.Spec.Methods = append(t.handler.Spec.Methods, v1.HTTPMethod(*match.Method))
		}
		m.claim().dropAll("method")
		m.enter("path").dropAll("type", "value")
	}
	if !rule.has("matches") && t.handler.Spec.Path == "" {
		t.handler.Spec.Path, isTaken = "/*", true // the default of the Gateway API
	}
	return isTaken
}

// handlerPath returns a match as the path of a handler.
func handlerPath(m *gatewayv1.HTTPPathMatch) (string, bool) {
	switch {
	case m == nil || m.Value == nil:
		return "/*", true
	case m.Type == nil || *m.Type == gatewayv1.PathMatchPathPrefix:
		return asPrefix(*m.Value), true
	case *m.Type == gatewayv1.PathMatchExact:
		return *m.Value, !strings.HasSuffix(*m.Value, "*")
	default:
		return "", false
	}
}

func asPrefix(path string) string { return strings.TrimSuffix(path, "/") + "/*" }

// translateIngress takes the path and the host of the first rule that leads to the workload.
// Without a Gateway they are the Ingress's still, and the handler has no route.
func (t *translation) translateIngress(spec tree) {
	for _, rule := range spec.list("rules") {
		for _, p := range rule.enter("http").list("paths") {
			if !t.leadsHere(p.content) {
				continue
			}
			path := peek[string](p, "path")
			if peek[string](p, "pathType") != "Exact" {
				path = asPrefix(path)
			}
			if t.handler.Spec.Path != "" && t.handler.Spec.Path != path || t.handler.Spec.Route != nil {
				continue
			}
			t.handler.Spec.Path = path
			rule.claim()
			p.claim().dropAll("path", "pathType")
			p.enter("backend").enter("service").dropAll("name")
			p.enter("backend").enter("service").enter("port").dropAll("name", "number")
			host := peek[string](rule, "host")
			if t.options.Gateway == "" {
				continue
			}
			t.setGateway(host)
			rule.dropEqual("host", host)
		}
	}
}

func (t *translation) setGateway(host string) {
	parent := gatewayv1.ParentReference{Name: gatewayv1.ObjectName(t.options.Gateway)}
	if t.options.GatewayNamespace != "" {
		namespace := gatewayv1.Namespace(t.options.GatewayNamespace)
		parent.Namespace = &namespace
	}
	t.handler.Spec.Route = &v1.Route{ParentRefs: []gatewayv1.ParentReference{parent}}
	if host != "" {
		t.handler.Spec.Route.Hostnames = []gatewayv1.Hostname{gatewayv1.Hostname(host)}
	}
}
