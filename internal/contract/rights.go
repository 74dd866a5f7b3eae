package contract

import "slices"

const (
	handlers    = "gatihandlers.gati.dev"
	modules     = "gatimodules.gati.dev"
	versions    = "gativersions.gati.dev"
	deployments = "deployments.apps"
	autoscalers = "horizontalpodautoscalers.autoscaling"
	revisions   = "controllerrevisions.apps"
	endpoints   = "endpointslices.discovery.k8s.io"
	routes      = "httproutes.gateway.networking.k8s.io"
	whoAmI      = "selfsubjectreviews.authentication.k8s.io"
	mayI        = "selfsubjectaccessreviews.authorization.k8s.io"
)

// children are the lists that show what a handler or module has.
var children = []string{versions, deployments, "pods", autoscalers}

const (
	leftOut = "its part of the output is missing"
	polled  = "the list is read again every second"
	notGrey = "no key is grey"
	refused = "the key is refused"

	statusImage = "the namespace's image is taken from the status of the object"
)

// The forms of commands.
const (
	ofHandler = "gh/NAME"
	ofModule  = "gm/NAME"
	ofAll     = "no NAME"
	onScreen  = "on a terminal"
	byKeys    = "keys, on a terminal"

	installed  = "no --pre"
	prometheus = "with a Prometheus"
)

// readNamed are the rights to read what is named.
func readNamed() []Right {
	return []Right{{"get", handlers, ofHandler, ""}, {"get", modules, ofModule, ""}}
}

// readChildren are the rights to lists that are left out where they are forbidden.
func readChildren(resources ...string) []Right {
	out := make([]Right, len(resources))
	for i, r := range resources {
		out[i] = Right{"list", r, "", leftOut}
	}
	return out
}

// readAll are the rights to read what is in a namespace.
func readAll() []Right {
	return []Right{{"list", handlers, ofAll, leftOut}, {"list", modules, ofAll, leftOut}}
}

// watchChildren are the rights to keep up with what is shown, in a form of a command.
func watchChildren(form string) []Right {
	out := []Right{{"list", handlers, form, ""}, {"list", modules, form, ""}}
	for _, r := range append([]string{handlers, modules}, children...) {
		out = append(out, Right{"watch", r, form, polled})
	}
	return out
}

// pressKeys are the rights that the keys of a live view use: those of the commands that
// do the same.
func pressKeys() []Right {
	out := []Right{{"create", mayI, onScreen, notGrey}, {"create", whoAmI, byKeys, refused}, {"patch", handlers, byKeys, refused}}
	for _, verb := range []string{"promote", "pause", "resume", "abort", "retry", "rollback", "restart"} {
		out = append(out, Right{verb, handlers, byKeys, refused})
	}
	return out
}

// readOne are the rights to read one handler with its children.
func readOne() []Right {
	return concat([]Right{{Verb: "get", Resource: handlers}}, readChildren(children...))
}

// editRecords are the rights to set a field of a record, which has a verb of its own.
func editRecords(verb string) []Right {
	out := readOne()
	i := slices.IndexFunc(out, func(r Right) bool { return r.Resource == versions })
	out[i].Without = ""
	return append(out, Right{Verb: "patch", Resource: versions}, Right{Verb: verb, Resource: versions})
}

// sendRequest are the rights to make a request, which has a verb of its own.
func sendRequest(verb string) []Right {
	return []Right{
		{Verb: "get", Resource: handlers}, {Verb: "create", Resource: whoAmI},
		{Verb: "patch", Resource: handlers}, {Verb: verb, Resource: handlers},
		{"list", versions, "", "the effect is predicted without them"},
	}
}

// sendToSelected are those of asked for commands that take -l in place of names.
func sendToSelected(verb string) []Right {
	return append([]Right{{Verb: "list", Resource: handlers, For: "-l"}}, sendRequest(verb)...)
}

// examineCluster are the rights to look at an installation. Only the server itself has to
// answer.
func examineCluster() []Right {
	const unknown = "checks that depend on it are unknown"
	out := []Right{
		{Verb: "get", Resource: "/version"}, {"get", "/apis", "", unknown},
		{"create", mayI, "", unknown},
	}
	for _, r := range []string{
		"customresourcedefinitions.apiextensions.k8s.io",
		"mutatingwebhookconfigurations.admissionregistration.k8s.io", "validatingwebhookconfigurations.admissionregistration.k8s.io",
		"validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
		deployments, "secrets", "configmaps", "apiservices.apiregistration.k8s.io",
	} {
		out = append(out, Right{"get", r, installed, unknown})
	}
	return append(out,
		Right{"create", handlers, installed, unknown}, Right{"list", handlers, installed, unknown}, Right{"list", modules, installed, unknown},
		Right{"list", "gatewayclasses.gateway.networking.k8s.io", installed, unknown}, Right{"list", routes, installed, unknown},
		Right{"get", "services", prometheus, unknown}, Right{"list", endpoints, prometheus, unknown},
	)
}

// planChildren are the rights to read what the children of a stored object follow from.
func planChildren() []Right {
	out := []Right{
		{"list", revisions, "", ""}, {"get", deployments, ofModule, ""}, {"get", autoscalers, ofModule, ""},
		{"get", routes, ofHandler, ""}, {"list", routes, "", "HTTPRoutes count as served"}, {"get", "namespaces", "", statusImage},
	}
	for _, r := range append([]string{endpoints}, children...) {
		out = append(out, Right{"list", r, ofHandler, ""})
	}
	return out
}

// compareWithApply are the rights to ask what an apply makes of objects, and to read all
// that the children follow from.
func compareWithApply() []Right {
	out := []Right{}
	for _, r := range []string{handlers, modules, versions} {
		form := map[string]string{handlers: "a GatiHandler", modules: "a GatiModule", versions: "a GatiVersion"}[r]
		out = append(out, Right{"get", r, form, ""}, Right{"create", r, form, ""}, Right{"patch", r, form, ""})
	}
	for _, verb := range []string{"traffic", "activate", "tag", "keep"} {
		out = append(out, Right{verb, versions, "a GatiVersion", ""})
	}
	for _, r := range []string{
		versions, deployments, "pods", autoscalers, revisions, "services", "configmaps", endpoints,
		"networkpolicies.networking.k8s.io", "poddisruptionbudgets.policy",
	} {
		out = append(out, Right{"list", r, "", ""})
	}
	for _, r := range []string{deployments, autoscalers, "services", "configmaps", "networkpolicies.networking.k8s.io", "poddisruptionbudgets.policy"} {
		out = append(out, Right{"get", r, "", ""})
	}
	return append(out,
		Right{"list", routes, "", ""},
		Right{"get", routes, "", ""},
		Right{"get", "namespaces", "", statusImage},
	)
}

// concat joins lists of rights.
func concat(lists ...[]Right) []Right { return slices.Concat(lists...) }
