package checkup

import (
	"slices"
	"strings"
)

// unreadOf returns the finding about a fact that could not be read, none for one that
// was. what names it where object does not.
func unreadOf[T any](object, what string, f Fact[T]) []Finding {
	if f.Unread == "" {
		return nil
	}
	if what != "" {
		what += " "
	}
	return []Finding{{Level: Unknown, Object: object, Message: what + "could not be read: " + f.Unread, Hint: adminHint}}
}

// unreadIn returns the findings about those facts of a map that could not be read, one for
// each reason.
func unreadIn[T any](prefix string, facts map[string]Fact[T]) []Finding {
	objects, reasons := map[string][]string{}, []string{}
	for _, name := range sortedNames(facts) {
		if why := facts[name].Unread; why != "" {
			if objects[why] == nil {
				reasons = append(reasons, why)
			}
			objects[why] = append(objects[why], prefix+name)
		}
	}
	var found []Finding
	for _, why := range reasons {
		found = append(found, unreadOf(strings.Join(objects[why], ", "), "", Fact[T]{Unread: why})...)
	}
	return found
}

func unreadServer(f *Facts) []Finding { return unreadOf("", "the version of the API server", f.Server) }

func unreadServed(f *Facts) []Finding { return unreadOf("", "the API groups", f.Served) }

func unreadCRDs(f *Facts) []Finding { return unreadIn("crd/", f.CRDs) }

func unreadHooks(f *Facts) []Finding { return unreadIn("", f.Hooks) }

func unreadPolicies(f *Facts) []Finding {
	return append(unreadIn("policy/", f.Policies), unreadIn("policybinding/", f.Bindings)...)
}

func unreadBundles(f *Facts) []Finding { return append(unreadHooks(f), unreadCRDs(f)...) }

func unreadCertificates(f *Facts) []Finding {
	return append(unreadBundles(f), unreadIn("secret/", f.Secrets)...)
}

func unreadHooksPods(f *Facts) []Finding { return unreadPods(f, "gati-webhook", f.Deployment) }

func unreadControllersPods(f *Facts) []Finding {
	return unreadPods(f, "gati-controller", f.Controllers)
}

// unreadPods includes the hooks where there is no Deployment: they say where else it runs.
func unreadPods(f *Facts, name string, d Fact[Deployment]) []Finding {
	if d.Absent {
		return unreadHooks(f)
	}
	return unreadOf("deploy/"+name, "", d)
}

func unreadRelease(f *Facts) []Finding {
	found := append(unreadCRDs(f), unreadOf("deploy/gati-webhook", "", f.Deployment)...)
	return append(found, unreadOf("deploy/gati-controller", "", f.Controllers)...)
}

// unreadRights finds the first question about rights that was not answered: the reason is
// that of all.
func unreadRights(f Fact[[]Right]) []Finding {
	at := slices.IndexFunc(f.Value, func(r Right) bool { return r.Unread != "" })
	if at >= 0 && f.Unread == "" {
		f.Unread = f.Value[at].Unread
	}
	return unreadOf("", "your rights", f)
}

func unreadHandlers(f *Facts) []Finding {
	return unreadOf("", "the handlers of "+f.scope("all namespaces"), f.Handlers)
}

func unreadObstacles(f *Facts) []Finding {
	return append(unreadHandlers(f), unreadOf("", "the modules of the namespace", f.Modules)...)
}

// unreadGateway includes the handlers where the cluster lacks the Gateway API.
func unreadGateway(f *Facts) []Finding {
	found := unreadServed(f)
	if !hasGatewayAPI(f) {
		return append(found, unreadHandlers(f)...)
	}
	found = append(found, unreadOf("", "the gateway classes", f.GatewayClasses)...)
	if len(f.GatewayClasses.Value) == 0 {
		found = append(found, unreadHandlers(f)...)
	}
	return found
}

func unreadRoutes(f *Facts) []Finding { return unreadOf("", "the routes", f.Routes) }

func unreadMetrics(f *Facts) []Finding {
	if f.MetricsAPI.Absent {
		return unreadHandlers(f)
	}
	return unreadOf("", "the metrics API", f.MetricsAPI)
}

func unreadPrometheus(f *Facts) []Finding {
	switch {
	case f.Prometheus.Unread != "":
		return unreadOf("", "gati-webhook's configuration", f.Prometheus)
	case f.Prometheus.Value == "":
		return unreadHandlers(f)
	case f.PrometheusPods.Unread != "":
		return newUnknown(f.Prometheus.Value+" could not be checked: "+f.PrometheusPods.Unread, "")
	default:
		return nil
	}
}
