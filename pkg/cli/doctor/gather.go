package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"gati.dev/gati/manifests/bundle"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/doctor/checkup"
)

// The objects of an installation.
const (
	systemNamespace = "gati-system"
	webhookName     = "gati-webhook"
	controllerName  = "gati-controller"
)

// gatherer reads facts, several at a time.
type gatherer struct {
	ctx   context.Context
	raw   *cluster.Raw
	facts *checkup.Facts

	mu      sync.Mutex
	waiting sync.WaitGroup
	slots   chan struct{}
	// lost is why the server itself could not be reached.
	lost error
}

// atOnce is how many requests are under way at a time.
const atOnce = 10

// gatherFacts reads all that the checks ask for. Only when the server does not answer
// at all there is nothing to judge.
func gatherFacts(ctx context.Context, raw *cluster.Raw, f *checkup.Facts, pre bool) error {
	g := &gatherer{ctx: ctx, raw: raw, facts: f, slots: make(chan struct{}, atOnce)}
	if err := raw.Get(ctx, "/version", &f.Server.Value); err != nil {
		return cluster.Explain(err)
	}
	g.startRead(g.readServedAPIs)
	if pre {
		g.startRead(func() { f.Installing = g.askRights(installing) })
	} else {
		g.readInstallation()
		g.readUsed()
		for _, version := range []string{"v1", "v1alpha1"} {
			g.tryHandler(version)
		}
		g.startRead(func() { f.Rights = g.askRights(verbs) })
	}
	g.waiting.Wait()
	return g.lost
}

// startRead runs one reading beside the others.
func (g *gatherer) startRead(read func()) {
	g.waiting.Go(func() {
		g.slots <- struct{}{}
		defer func() { <-g.slots }()
		read()
	})
}

// getFact reads one object, or returns the reason why it could not.
func getFact[T any](g *gatherer, path string) checkup.Fact[T] {
	var f checkup.Fact[T]
	f.Absent, f.Unread = g.classifyError(g.raw.Get(g.ctx, path, &f.Value), path)
	return f
}

// classifyError distinguishes a missing object from one that could not be read, and names
// the missing right.
func (g *gatherer) classifyError(err error, path string) (absent bool, unread string) {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return false, ""
	case apierrors.IsNotFound(err):
		return true, ""
	case apierrors.IsForbidden(err):
		return false, "you may not " + rightFor(path)
	case !errors.As(err, &status):
		g.mu.Lock()
		g.lost = cluster.Explain(err)
		g.mu.Unlock()
	}
	return false, cluster.Brief(err)
}

// putFact reads an object into a map of facts.
func putFact[T any](g *gatherer, into *map[string]checkup.Fact[T], name, path string) {
	if *into == nil {
		*into = map[string]checkup.Fact[T]{}
	}
	m := *into
	g.startRead(func() {
		fact := getFact[T](g, path)
		g.mu.Lock()
		defer g.mu.Unlock()
		m[name] = fact
	})
}

// readServedAPIs reads which versions of which groups there are.
func (g *gatherer) readServedAPIs() {
	type groups struct {
		Groups []struct {
			Name     string `json:"name"`
			Versions []struct {
				Version string `json:"version"`
			} `json:"versions"`
		} `json:"groups"`
	}
	all := getFact[groups](g, "/apis")
	g.facts.Served.Absent, g.facts.Served.Unread = all.Absent, all.Unread
	g.facts.Served.Value = map[string][]string{}
	for _, group := range all.Value.Groups {
		for _, v := range group.Versions {
			g.facts.Served.Value[group.Name] = append(g.facts.Served.Value[group.Name], v.Version)
		}
	}
}

// readInstallation reads what an installation consists of.
func (g *gatherer) readInstallation() {
	f := g.facts
	for name := range f.Shipped.CRDs {
		putFact(g, &f.CRDs, name, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+name)
	}
	for name, path := range hookPaths {
		putFact(g, &f.Hooks, name, path)
	}
	for _, name := range f.Shipped.Policies {
		putFact(g, &f.Policies, name, admissionAPI+"/validatingadmissionpolicies/"+name)
		putFact(g, &f.Bindings, name, admissionAPI+"/validatingadmissionpolicybindings/"+name)
	}
	deployments := "/apis/apps/v1/namespaces/" + systemNamespace + "/deployments/"
	g.startRead(func() { f.Deployment = getFact[checkup.Deployment](g, deployments+webhookName) })
	g.startRead(func() { f.Controllers = getFact[checkup.Deployment](g, deployments+controllerName) })
	for _, name := range []string{webhookName + "-ca", webhookName + "-tls"} {
		if f.Secrets == nil {
			f.Secrets = map[string]checkup.Fact[[]byte]{}
		}
		g.startRead(func() { g.readSecret(name) })
	}
}

const admissionAPI = "/apis/admissionregistration.k8s.io/v1"

// hookPaths are the webhook configurations, by kind and name.
var hookPaths = map[string]string{
	"MutatingWebhookConfiguration " + webhookName:   admissionAPI + "/mutatingwebhookconfigurations/" + webhookName,
	"ValidatingWebhookConfiguration " + webhookName: admissionAPI + "/validatingwebhookconfigurations/" + webhookName,
}

// readSecret reads the certificate of a Secret, and nothing else of it.
func (g *gatherer) readSecret(name string) {
	type secret struct {
		Data struct {
			Certificate []byte `json:"tls.crt"`
		} `json:"data"`
	}
	s := getFact[secret](g, fmt.Sprintf("/api/v1/namespaces/%s/secrets/%s", systemNamespace, name))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.facts.Secrets[name] = checkup.Fact[[]byte]{Value: s.Value.Data.Certificate, Absent: s.Absent, Unread: s.Unread}
}

// rightFor names the right that reading a path takes, such as "list gatihandlers.gati.dev
// in namespace shop".
func rightFor(path string) string {
	path, _, _ = strings.Cut(strings.Trim(path, "/"), "?")
	parts := strings.Split(path, "/")
	group := ""
	switch {
	case len(parts) > 2 && parts[0] == "apis":
		group, parts = "."+parts[1], parts[3:]
	case len(parts) > 1 && parts[0] == "api":
		parts = parts[2:]
	default:
		return "get /" + path
	}
	where := ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		where, parts = " in namespace "+parts[1], parts[2:]
	}
	verb := "get "
	if len(parts) == 1 {
		verb = "list "
	}
	return verb + parts[0] + group + where
}

// readShipped has the objects of the plugin's own manifests.
func readShipped() (checkup.Shipped, error) {
	s := checkup.Shipped{CRDs: map[string]checkup.CRD{}, Hooks: map[string]checkup.HookConfiguration{}}
	objects, err := bundle.Objects("")
	if err != nil {
		return s, err
	}
	for _, o := range objects {
		raw, err := json.Marshal(o)
		if err != nil {
			return s, err
		}
		switch o.GetKind() {
		case "CustomResourceDefinition":
			var crd checkup.CRD
			err = json.Unmarshal(raw, &crd)
			s.CRDs[o.GetName()] = crd
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			var hooks checkup.HookConfiguration
			err = json.Unmarshal(raw, &hooks)
			s.Hooks[o.GetKind()+" "+o.GetName()] = hooks
		case "Deployment":
			var d checkup.Deployment
			err = json.Unmarshal(raw, &d)
			s.Image = d.Spec.Template.Spec.Containers[0].Image
		case "ValidatingAdmissionPolicy":
			s.Policies = append(s.Policies, o.GetName())
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
