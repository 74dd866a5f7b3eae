package doctor

import (
	"cmp"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/rand"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/doctor/checkup"
	"gati.dev/gati/pkg/request"
)

// trialName begins the name of a handler that is tried. The rest is random, so that it
// meets none of the user's. The server may not generate it: mutating hooks are called
// before, and the plan that they stamp holds names.
const trialName = "gati-doctor-"

// tryHandler creates a handler as a dry run: it goes through all of admission, and
// nothing is stored.
func (g *gatherer) tryHandler(version string) {
	if g.facts.Trials == nil {
		g.facts.Trials = map[string]checkup.Fact[checkup.Trial]{}
	}
	path := "path"
	if version != "v1" {
		path = "handlerPath"
	}
	handler := map[string]any{
		"apiVersion": v1.Group + "/" + version, "kind": "GatiHandler",
		"metadata": map[string]any{"name": trialName + rand.String(8)},
		"spec":     map[string]any{path: "/gati-doctor", "version": "v1.0.0", "image": "gati-doctor:v1.0.0", "replicas": 0},
	}
	g.startRead(func() {
		var fact checkup.Fact[checkup.Trial]
		var made struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		}
		collection := "/apis/" + v1.Group + "/" + version + "/namespaces/" + g.facts.TrialNamespace + "/gatihandlers?dryRun=All&fieldManager=" + v1.PluginManager
		err := g.raw.Create(g.ctx, collection, handler, &made)
		var status apierrors.APIStatus
		switch {
		case err == nil:
			fact.Value.Stamped = made.Metadata.Annotations[v1.AnnotationPlan] != ""
		case mayNot(err):
			fact.Unread = "you may not create gatihandlers.gati.dev in namespace " + g.facts.TrialNamespace
		case apierrors.IsNotFound(err), !errors.As(err, &status):
			_, fact.Unread = g.classifyError(err, collection)
			if fact.Unread == "" {
				fact.Unread = cluster.Brief(err)
			}
		default:
			fact.Value.Refused = err.Error()
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.facts.Trials[version] = fact
	})
}

// mayNot distinguishes a missing right from a refusal by admission, which has the same
// code.
func mayNot(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsForbidden(err) && errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Name == ""
}

// asked is a right to ask for.
type asked struct{ group, resource, verb string }

// verbs are the rights that the plugin's commands need.
var verbs = func() []asked {
	var all []asked
	add := func(group, resource string, verbs ...string) {
		for _, v := range verbs {
			all = append(all, asked{group, resource, v})
		}
	}
	var requests []string
	for _, v := range request.Verbs() {
		requests = append(requests, string(v))
	}
	write := []string{"get", "list", "watch", "create", "patch", "delete"}
	add(v1.Group, "gatihandlers", slices.Concat(write, requests)...)
	add(v1.Group, "gatimodules", write...)
	add(v1.Group, "gativersions", append(write, "traffic", "activate", "tag", "keep")...)
	add("apps", "deployments", "list")
	add("", "pods", "list")
	add("", "pods/log", "get")
	return all
}

// installing are the kinds that an installation creates.
var installing = func() []asked {
	var all []asked
	for _, r := range []asked{
		{"", "namespaces", ""},
		{"apiextensions.k8s.io", "customresourcedefinitions", ""},
		{"rbac.authorization.k8s.io", "clusterroles", ""},
		{"rbac.authorization.k8s.io", "clusterrolebindings", ""},
		{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", ""},
		{"admissionregistration.k8s.io", "validatingwebhookconfigurations", ""},
		{"admissionregistration.k8s.io", "validatingadmissionpolicies", ""},
		{"flowcontrol.apiserver.k8s.io", "flowschemas", ""},
		{"scheduling.k8s.io", "priorityclasses", ""},
	} {
		r.verb = "create"
		all = append(all, r)
	}
	return all
}

// askRights asks the server for each right. Everybody may ask for their own.
func (g *gatherer) askRights(rights func() []asked) checkup.Fact[[]checkup.Right] {
	var f checkup.Fact[[]checkup.Right]
	list := rights()
	f.Value = make([]checkup.Right, len(list))
	for i, r := range list {
		g.waiting.Go(func() {
			g.slots <- struct{}{}
			defer func() { <-g.slots }()
			f.Value[i] = g.askRight(r)
		})
	}
	return f
}

func (g *gatherer) askRight(r asked) checkup.Right {
	attributes := map[string]any{"group": r.group, "resource": r.resource, "verb": r.verb, "namespace": g.facts.Namespace}
	var review struct {
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}
	err := g.raw.Create(g.ctx, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": attributes},
	}, &review)
	out := checkup.Right{Group: r.group, Resource: r.resource, Verb: r.verb, Allowed: review.Status.Allowed}
	switch {
	case apierrors.IsForbidden(err):
		out.Unread = "you may not create selfsubjectaccessreviews.authorization.k8s.io"
	case err != nil:
		_, out.Unread = g.classifyError(err, "")
		out.Unread = cmp.Or(out.Unread, cluster.Brief(err))
	}
	return out
}
