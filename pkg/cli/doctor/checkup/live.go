package checkup

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

func checkWorkload(f *Facts) []Finding {
	d := f.Deployment
	switch {
	case d.Absent && outsideAddress(f) != "":
		return fine("gati-webhook runs outside the cluster, at " + outsideAddress(f) + ": there are no pods to check")
	case d.Absent:
		return unknown("Deployment gati-webhook does not exist in gati-system; gati-webhook runs elsewhere or not at all", "")
	case !d.Known():
		return nil
	}
	want, have := d.Value.Spec.Replicas, d.Value.Status.AvailableReplicas
	hint := "see why: kubectl describe pods -n gati-system -l app.kubernetes.io/name=gati-webhook"
	switch {
	case have == 0:
		return []Finding{problem("deploy/gati-webhook", fmt.Sprintf("none of its %d pods is available: no Gati object can change", want), hint)}
	case have < want:
		return []Finding{problem("deploy/gati-webhook", fmt.Sprintf("%d of its %d pods are available", have, want), hint)}
	default:
		return nil
	}
}

// outsideAddress is where the hooks find a gati-webhook that is none of the cluster's, empty
// when they look for it in the cluster.
func outsideAddress(f *Facts) string {
	for _, name := range sortedNames(f.Hooks) {
		for _, hook := range f.Hooks[name].Value.Webhooks {
			if u, err := url.Parse(hook.ClientConfig.URL); err == nil && u.Host != "" {
				return u.Host
			}
		}
	}
	return ""
}

// callHint is for calls that do not reach gati-webhook.
const callHint = "see whether gati-webhook runs and is reached: kubectl get pods,endpointslices -n gati-system"

func checkAdmission(f *Facts) []Finding {
	found := checkTrial(f, "v1")
	if found == nil && f.Trials["v1"].Known() && !f.Trials["v1"].Value.Stamped {
		found = []Finding{problem("", "a handler created as a dry run was not stamped: the mutating hook was not called", callHint)}
	}
	return found
}

func checkConversion(f *Facts) []Finding { return checkTrial(f, "v1alpha1") }

// checkTrial judges a creation as a dry run. Who may not create says nothing of the
// hooks.
func checkTrial(f *Facts, version string) []Finding {
	t := f.Trials[version]
	if !anyCRD(f) || f.CRDs["gatihandlers.gati.dev"].Absent {
		return unknown("there is no CRD to create a handler with", "")
	}
	if !t.Known() {
		return unknown("not tried: "+t.Unread, "name a namespace where you may create handlers: -n NAMESPACE")
	}
	said := t.Value.Refused
	if said == "" {
		return nil
	}
	hint := "another hook, policy or quota of the cluster refuses it"
	for _, mark := range []string{"failed calling webhook", "conversion webhook"} {
		if strings.Contains(said, mark) {
			hint = callHint
		}
	}
	return []Finding{problem("", "a handler created as a dry run in namespace "+f.Namespace+" was refused: "+said, hint)}
}

// checkSkew compares the versions of the parts. The CRDs have none: they are compared
// with those of the plugin.
func checkSkew(f *Facts) []Finding {
	var found []Finding
	for _, name := range sortedNames(f.Shipped.CRDs) {
		if live := f.CRDs[name]; live.Known() && !isSameJSON(live.Value.Spec.Versions, f.Shipped.CRDs[name].Spec.Versions) {
			found = append(found, problem("crd/"+name, "differs from this plugin's ("+f.Plugin+")", "upgrade it: kubectl gati upgrade; or use the plugin of the installed release"))
		}
	}
	image := imageOf(f.Deployment)
	tag := image[strings.LastIndexAny(image, ":/")+1:]
	if image != "" && strings.HasPrefix(f.Plugin, "v") && !strings.Contains(image, "@") && tag != f.Plugin {
		found = append(found, problem("deploy/gati-webhook", fmt.Sprintf("runs %s, and this plugin is %s", tag, f.Plugin),
			"upgrade the older one: kubectl gati upgrade, or kubectl krew upgrade gati"))
	}
	return found
}

func imageOf(d Fact[Deployment]) string {
	containers := d.Value.Spec.Template.Spec.Containers
	for i := range containers {
		if containers[i].Name == "gati-webhook" {
			return containers[i].Image
		}
	}
	return ""
}

func checkRights(f *Facts) []Finding {
	missing := map[string][]string{}
	for _, r := range f.Rights.Value {
		if !r.Allowed && r.Unread == "" {
			missing[r.Resource] = append(missing[r.Resource], r.Verb)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	roles := "ask for a role in namespace " + f.Namespace + ": gati-view reads, gati-edit also changes and asks, gati-admin may also override"
	if handlers := missing["gatihandlers"]; slices.Contains(handlers, "list") || slices.Contains(handlers, "get") {
		return []Finding{problem("", "you may not read the handlers of namespace "+f.Namespace, roles)}
	}
	var parts []string
	for _, resource := range sortedNames(missing) {
		parts = append(parts, strings.Join(missing[resource], ", ")+" "+resource)
	}
	return note("you may not "+strings.Join(parts, "; nor "), roles)
}
