package netpolicy

import (
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// The endpoints of the tables below.
var (
	web = Endpoint{Namespace: "shop", NamespaceLabels: map[string]string{"team": "shop"}, Labels: map[string]string{"app": "web"},
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}}}
	database = Endpoint{Namespace: "shop", NamespaceLabels: map[string]string{"team": "shop"}, Labels: map[string]string{"app": "db"}}
	stranger = Endpoint{Namespace: "other", Labels: map[string]string{"app": "web"}}
	internet = Endpoint{IP: netip.MustParseAddr("192.0.2.7")}
)

// The rules are those of "Network Policies" in the Kubernetes documentation.
func TestAllows(t *testing.T) {
	const (
		toWeb     = "podSelector: {matchLabels: {app: web}}\n"
		nothing   = "podSelector: {}\npolicyTypes: [Ingress, Egress]\n"
		onlyGoing = "podSelector: {}\npolicyTypes: [Egress]\n"
	)
	tests := map[string]struct {
		specs    []string
		from, to Endpoint
		port     Port
		want     bool
	}{
		"no policy":                             {nil, stranger, web, Port{Number: 1}, true},
		"a policy that selects others":          {[]string{toWeb}, web, database, Port{Number: 1}, true},
		"isolated, no rule":                     {[]string{toWeb}, database, web, Port{Number: 8080}, false},
		"isolated for what comes in, goes out":  {[]string{toWeb}, web, internet, Port{Number: 443}, true},
		"isolated for what goes out, comes in":  {[]string{onlyGoing}, stranger, web, Port{Number: 8080}, true},
		"isolated for what goes out, goes out":  {[]string{onlyGoing}, web, internet, Port{Number: 8080}, false},
		"both, goes out":                        {[]string{nothing}, web, internet, Port{Number: 443}, false},
		"egress rules imply the type":           {[]string{toWeb + "egress: [{to: [{podSelector: {}}]}]"}, web, internet, Port{Number: 443}, false},
		"an empty rule lets all in":             {[]string{toWeb + "ingress: [{}]"}, internet, web, Port{Number: 9}, true},
		"a pod of the namespace":                {[]string{toWeb + "ingress: [{from: [{podSelector: {}}]}]"}, database, web, Port{Number: 9}, true},
		"the like of another namespace":         {[]string{toWeb + "ingress: [{from: [{podSelector: {}}]}]"}, stranger, web, Port{Number: 9}, false},
		"what is outside is no pod":             {[]string{toWeb + "ingress: [{from: [{namespaceSelector: {}}]}]"}, internet, web, Port{Number: 9}, false},
		"any namespace":                         {[]string{toWeb + "ingress: [{from: [{namespaceSelector: {}}]}]"}, stranger, web, Port{Number: 9}, true},
		"a namespace by its name":               {[]string{toWeb + "ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}]}]"}, stranger, web, Port{Number: 9}, true},
		"a namespace and a pod in it":           {[]string{toWeb + "ingress: [{from: [{namespaceSelector: {matchLabels: {team: shop}}, podSelector: {matchLabels: {app: db}}}]}]"}, database, web, Port{Number: 9}, true},
		"a namespace and another pod in it":     {[]string{toWeb + "ingress: [{from: [{namespaceSelector: {matchLabels: {team: shop}}, podSelector: {matchLabels: {app: x}}}]}]"}, database, web, Port{Number: 9}, false},
		"a block":                               {[]string{toWeb + "ingress: [{from: [{ipBlock: {cidr: 192.0.2.0/24}}]}]"}, internet, web, Port{Number: 9}, true},
		"a hole in a block":                     {[]string{toWeb + "ingress: [{from: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.2.7/32]}}]}]"}, internet, web, Port{Number: 9}, false},
		"a port":                                {[]string{toWeb + "ingress: [{ports: [{port: 8080}]}]"}, database, web, Port{Number: 8080}, true},
		"another port":                          {[]string{toWeb + "ingress: [{ports: [{port: 8080}]}]"}, database, web, Port{Number: 8081}, false},
		"another protocol":                      {[]string{toWeb + "ingress: [{ports: [{port: 8080}]}]"}, database, web, Port{corev1.ProtocolUDP, 8080}, false},
		"a range of ports":                      {[]string{toWeb + "ingress: [{ports: [{port: 8000, endPort: 8080}]}]"}, database, web, Port{Number: 8080}, true},
		"beyond the range":                      {[]string{toWeb + "ingress: [{ports: [{port: 8000, endPort: 8080}]}]"}, database, web, Port{Number: 8081}, false},
		"a protocol, all ports":                 {[]string{toWeb + "ingress: [{ports: [{protocol: UDP}]}]"}, database, web, Port{corev1.ProtocolUDP, 7}, true},
		"a named port":                          {[]string{toWeb + "ingress: [{ports: [{port: http}]}]"}, database, web, Port{Number: 8080}, true},
		"a named port, by another number":       {[]string{toWeb + "ingress: [{ports: [{port: http}]}]"}, database, web, Port{Number: 80}, false},
		"a named port of another protocol":      {[]string{toWeb + "ingress: [{ports: [{port: dns}]}]"}, database, web, Port{Number: 53}, false},
		"a name on the way out is the target's": {[]string{"podSelector: {matchLabels: {app: db}}\negress: [{ports: [{port: http}]}]"}, database, web, Port{Number: 8080}, true},
		"out is allowed, in is not":             {[]string{"podSelector: {matchLabels: {app: db}}\negress: [{}]", toWeb}, database, web, Port{Number: 8080}, false},
		"one of two policies is enough":         {[]string{toWeb, toWeb + "ingress: [{}]"}, database, web, Port{Number: 8080}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parse(t, tc.specs).Allows(tc.from, tc.to, tc.port)
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("allowed: %v, want %v", got, tc.want)
			}
		})
	}
}

// parse reads the specs of policies in the namespace shop.
func parse(t *testing.T, specs []string) Policies {
	t.Helper()
	var out Policies
	for _, text := range specs {
		policy := networkingv1.NetworkPolicy{}
		policy.Namespace = "shop"
		if err := yaml.UnmarshalStrict([]byte(text), &policy.Spec); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out = append(out, policy)
	}
	return out
}
