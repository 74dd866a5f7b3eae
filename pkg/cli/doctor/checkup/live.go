package checkup

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gati.dev/gati/pkg/remedy"
)

func checkHooksPods(f *Facts) []Finding {
	switch {
	case f.Deployment.Absent && outsideAddress(f) != "":
		return newSuccess("gati-webhook runs outside the cluster, at " + outsideAddress(f) + ": there are no pods to check")
	case f.Deployment.Absent:
		return newUnknown("Deployment gati-webhook does not exist in gati-system; gati-webhook runs elsewhere or not at all", "")
	}
	return checkPods("gati-webhook", f.Deployment, "no Gati object can change")
}

// checkControllersPods judges the Deployment of the controllers. A release before has
// none, and the hooks of this one do not do its work.
func checkControllersPods(f *Facts) []Finding {
	const stops = "no handler or module is reconciled"
	switch {
	case f.Controllers.Absent && outsideAddress(f) != "":
		return newSuccess("the controllers run outside the cluster, as gati-webhook does: there are no pods to check")
	case f.Controllers.Absent && f.Deployment.Known():
		return []Finding{newAbsent(f, "deploy/gati-controller", "does not exist: "+stops)}
	case f.Controllers.Absent:
		return newUnknown("Deployment gati-controller does not exist in gati-system; the controllers run elsewhere or not at all", "")
	}
	return checkPods("gati-controller", f.Controllers, stops)
}

// checkPods judges how many pods of a Deployment are available. stops is the consequence
// of none.
func checkPods(name string, d Fact[Deployment], stops string) []Finding {
	if !d.Known() {
		return nil
	}
	want, have := d.Value.Spec.Replicas, d.Value.Status.AvailableReplicas
	hint := "see why: " + remedy.ShowPods.For(name)
	switch {
	case have == 0:
		return []Finding{newProblem("deploy/"+name, fmt.Sprintf("none of its %d pods is available: %s", want, stops), hint)}
	case have < want:
		return []Finding{newProblem("deploy/"+name, fmt.Sprintf("%d of its %d pods are available", have, want), hint)}
	default:
		return nil
	}
}

// outsideAddress is where hooks or CRDs find a gati-webhook that is none of the cluster's,
// empty when they look for it in the cluster.
func outsideAddress(f *Facts) string {
	for _, c := range listClientConfigs(f) {
		if u, err := url.Parse(c.config.URL); err == nil && u.Host != "" {
			return u.Host
		}
	}
	return ""
}

// callHint is for calls that do not reach gati-webhook.
var callHint = "see whether gati-webhook runs and is reached: " + string(remedy.ShowEndpoints)

func checkAdmission(f *Facts) []Finding {
	found := checkTrial(f, "v1")
	if found == nil && f.Trials["v1"].Known() && !f.Trials["v1"].Value.Stamped {
		found = []Finding{newProblem("", "a handler created as a dry run was not stamped: the mutating hook was not called", callHint)}
	}
	return found
}

func checkConversion(f *Facts) []Finding { return checkTrial(f, "v1alpha1") }

// checkTrial judges a creation as a dry run. A missing right to create shows nothing about
// the hooks.
func checkTrial(f *Facts, version string) []Finding {
	t := f.Trials[version]
	if !anyCRD(f) || f.CRDs["gatihandlers.gati.dev"].Absent {
		return newUnknown("there is no CRD to create a handler with", "")
	}
	if !t.Known() {
		return newUnknown("not tried: "+t.Unread, "name a namespace where you may create handlers: -n NAMESPACE")
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
	return []Finding{newProblem("", "a handler created as a dry run in namespace "+f.TrialNamespace+" was refused: "+said, hint)}
}

// checkSkew compares the versions of the parts. The CRDs have none: they are compared
// with those of the plugin.
func checkSkew(f *Facts) []Finding {
	var found []Finding
	for _, name := range sortedNames(f.Shipped.CRDs) {
		if live := f.CRDs[name]; live.Known() && !isSameJSON(live.Value.Spec.Versions, f.Shipped.CRDs[name].Spec.Versions) {
			message := "differs from this plugin's (" + f.Plugin + ")"
			if tagOf(imageOf(f.Deployment, "gati-webhook")) == f.Plugin {
				found = append(found, newChanged(f, "crd/"+name, message))
				continue
			}
			found = append(found, newProblem("crd/"+name, message, upgradeHint(f)))
		}
	}
	found = append(found, checkImage(f, "gati-webhook", f.Deployment)...)
	return append(found, checkImage(f, "gati-controller", f.Controllers)...)
}

// checkImage compares the image of a Deployment with the plugin's version. An image without
// a tag names no version.
func checkImage(f *Facts, name string, d Fact[Deployment]) []Finding {
	image := imageOf(d, name)
	tag := tagOf(image)
	if tag == "" || !strings.HasPrefix(f.Plugin, "v") || tag == f.Plugin {
		return nil
	}
	return []Finding{newProblem("deploy/"+name, fmt.Sprintf("runs %s, and this plugin is %s", tag, f.Plugin),
		upgradeHint(f))}
}

// imageOf returns the image of the container that has the name of its Deployment.
func imageOf(d Fact[Deployment], name string) string {
	containers := d.Value.Spec.Template.Spec.Containers
	for i := range containers {
		if containers[i].Name == name {
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
	roles := "ask for a role in " + f.scope("all namespaces") + ": gati-view reads, gati-edit also changes and asks, gati-admin may also override"
	if handlers := missing["gatihandlers"]; slices.Contains(handlers, "list") || slices.Contains(handlers, "get") {
		return []Finding{newProblem("", "you may not read the handlers of "+f.scope("all namespaces"), roles)}
	}
	var parts []string
	for _, resource := range sortedNames(missing) {
		parts = append(parts, strings.Join(missing[resource], ", ")+" "+resource)
	}
	return newNote("you may not "+strings.Join(parts, "; nor "), roles)
}
