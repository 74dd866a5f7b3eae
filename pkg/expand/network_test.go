package expand_test

import (
	"net/netip"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/netpolicy"
	"gati.dev/gati/pkg/expand"
)

// Where a module's connections may come from and go to. The answers are those of
// all policies in the cluster together, the other module's included.
const (
	fromHandler   = "a handler beside it calls the module"
	fromElsewhere = "a pod of another namespace calls the module"
	fromOutside   = "the internet calls the module"
	otherPort     = "a handler beside it calls another port"
	toHandler     = "the module calls a handler beside it"
	toDatabase    = "the module calls a database beside it"
	toElsewhere   = "the module calls a pod of another namespace"
	toInternet    = "the module calls the internet"
	toDNS         = "the module asks the cluster's DNS"
	toDNSByTCP    = "the module asks the cluster's DNS by TCP"
	toSystem      = "the module calls another port in kube-system"
	toModule      = "the module calls another module, which grants nothing"
	fromModule    = "another module, which may call out, calls the module"
	fromScraper   = "a pod of a namespace with gati.dev/scrape=true calls the module"
)

// everywhere lists the questions, in the order of the answers' table.
var everywhere = []string{
	fromHandler, fromElsewhere, fromOutside, otherPort, toHandler, toDatabase, toElsewhere,
	toInternet, toDNS, toDNSByTCP, toSystem, toModule, fromModule, fromScraper,
}

func TestWhatModulesReach(t *testing.T) {
	closed := []string{fromHandler, fromModule}
	beside := slices.Concat(closed, []string{toHandler, toDatabase, toDNS, toDNSByTCP, toModule})
	out := slices.Concat(beside, []string{toElsewhere, toInternet, toSystem})
	opened := []string{fromElsewhere, fromOutside, fromScraper}
	tests := map[string]struct {
		capabilities []v1.Capability
		allowed      []string
	}{
		"nothing granted":       {nil, closed},
		"network":               {[]v1.Capability{v1.CapabilityNetwork}, slices.Concat(out, opened)},
		"network:egress":        {[]v1.Capability{v1.CapabilityNetworkEgress}, out},
		"network:ingress":       {[]v1.Capability{v1.CapabilityNetworkIngress}, slices.Concat(closed, opened)},
		"database:read":         {[]v1.Capability{v1.CapabilityDatabaseRead}, beside},
		"database:write":        {[]v1.Capability{v1.CapabilityDatabaseWrite}, beside},
		"cache:read":            {[]v1.Capability{v1.CapabilityCacheRead}, beside},
		"cache:write":           {[]v1.Capability{v1.CapabilityCacheWrite}, beside},
		"storage":               {[]v1.Capability{v1.CapabilityStorage}, closed},
		"filesystem:read":       {[]v1.Capability{v1.CapabilityFilesystemRead}, closed},
		"filesystem:write":      {[]v1.Capability{v1.CapabilityFilesystemWrite}, closed},
		"secrets:read":          {[]v1.Capability{v1.CapabilitySecretsRead}, closed},
		"metrics:write":         {[]v1.Capability{v1.CapabilityMetricsWrite}, slices.Concat(closed, []string{fromScraper})},
		"metrics and network":   {[]v1.Capability{v1.CapabilityMetricsWrite, v1.CapabilityNetworkIngress}, slices.Concat(closed, opened)},
		"ingress and databases": {[]v1.Capability{v1.CapabilityNetworkIngress, v1.CapabilityDatabaseRead}, slices.Concat(beside, opened)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			town := newTown(t, tc.capabilities)
			allowed := map[string]bool{}
			for _, question := range tc.allowed {
				allowed[question] = true
			}
			for _, question := range everywhere {
				if got := town.answer(t, question); got != allowed[question] {
					t.Errorf("%s: allowed %v, want %v", question, got, allowed[question])
				}
			}
		})
	}
}

// A handler has no policy: who calls it is the gateway's and the namespace's
// affair.
func TestHandlersHaveNoPolicy(t *testing.T) {
	plan := planHandler(t, builders.MakeHandler("users").Modules("directory").Obj())
	for _, o := range plan.Objects {
		if _, ok := o.(*networkingv1.NetworkPolicy); ok {
			t.Errorf("the plan has the NetworkPolicy %s", o.GetName())
		}
	}
}

// town is a module, what is around it, and the policies of all.
type town struct {
	policies                                                         netpolicy.Policies
	module, other, handler, database, elsewhere, scraper, dns, world netpolicy.Endpoint
}

func newTown(t *testing.T, capabilities []v1.Capability) town {
	t.Helper()
	module := planModule(t, builders.MakeModule("directory").Image("m:v1").Port(6000).Capabilities(capabilities...).Obj())
	other := planModule(t, builders.MakeModule("other").Image("m:v1").Port(6001).Capabilities(v1.CapabilityNetworkEgress).Obj())
	return town{
		policies:  netpolicy.Policies{*find[*networkingv1.NetworkPolicy](t, module), *find[*networkingv1.NetworkPolicy](t, other)},
		module:    podOf(t, module),
		other:     podOf(t, other),
		handler:   podOf(t, planHandler(t, builders.MakeHandler("users").Modules("directory").Obj())),
		database:  netpolicy.Endpoint{Namespace: builders.DefaultNamespace, Labels: map[string]string{"app": "postgres"}},
		elsewhere: netpolicy.Endpoint{Namespace: "elsewhere", Labels: map[string]string{"app": "postgres"}},
		scraper:   netpolicy.Endpoint{Namespace: "monitoring", NamespaceLabels: map[string]string{"gati.dev/scrape": "true"}},
		dns:       netpolicy.Endpoint{Namespace: "kube-system", Labels: map[string]string{"k8s-app": "kube-dns"}},
		world:     netpolicy.Endpoint{IP: netip.MustParseAddr("192.0.2.7")},
	}
}

func podOf(t *testing.T, plan expand.Plan) netpolicy.Endpoint {
	t.Helper()
	return netpolicy.Pod(builders.DefaultNamespace, find[*appsv1.Deployment](t, plan).Spec.Template)
}

func (w town) answer(t *testing.T, question string) bool {
	t.Helper()
	q := map[string]struct {
		from, to netpolicy.Endpoint
		port     netpolicy.Port
	}{
		fromHandler:   {w.handler, w.module, netpolicy.Port{Number: 6000}},
		fromElsewhere: {w.elsewhere, w.module, netpolicy.Port{Number: 6000}},
		fromOutside:   {w.world, w.module, netpolicy.Port{Number: 6000}},
		otherPort:     {w.handler, w.module, netpolicy.Port{Number: 9229}},
		toHandler:     {w.module, w.handler, netpolicy.Port{Number: 3000}},
		toDatabase:    {w.module, w.database, netpolicy.Port{Number: 5432}},
		toElsewhere:   {w.module, w.elsewhere, netpolicy.Port{Number: 5432}},
		toInternet:    {w.module, w.world, netpolicy.Port{Number: 443}},
		toDNS:         {w.module, w.dns, netpolicy.Port{Protocol: corev1.ProtocolUDP, Number: 53}},
		toDNSByTCP:    {w.module, w.dns, netpolicy.Port{Number: 53}},
		toSystem:      {w.module, w.dns, netpolicy.Port{Number: 443}},
		toModule:      {w.module, w.other, netpolicy.Port{Number: 6001}},
		fromModule:    {w.other, w.module, netpolicy.Port{Number: 6000}},
		fromScraper:   {w.scraper, w.module, netpolicy.Port{Number: 6000}},
	}[question]
	allowed, err := w.policies.Allows(q.from, q.to, q.port)
	if err != nil {
		t.Fatal(err)
	}
	return allowed
}
