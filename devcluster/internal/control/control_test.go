package control

import (
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/devcluster/internal/pki"
)

func testConfig() Config {
	numbers := map[string]int{}
	for i, name := range PortNames() {
		numbers[name] = 40001 + i
	}
	return Config{Dir: "/dc", Assets: "/assets", Ports: numbers,
		Clients: []Client{{File: "kwok", Subject: pki.Subject{Name: "kwok", Client: true}}}}
}

func TestComponentsReadOnlyFilesThatExist(t *testing.T) {
	c := testConfig()
	files, err := c.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, component := range c.Components() {
		for _, arg := range component.Args {
			_, value, _ := strings.Cut(arg, "=")
			name, inside := strings.CutPrefix(value, "/dc/")
			made := strings.HasPrefix(name, DataDir+"/") || strings.HasPrefix(name, LogDir+"/")
			if inside && !made && files[name] == nil {
				t.Errorf("%s reads %s, which no code writes", component.Name, name)
			}
		}
	}
}

func TestEverythingListensOnLoopback(t *testing.T) {
	for _, component := range testConfig().Components() {
		if !strings.HasPrefix(component.URL, "https://127.0.0.1:") {
			t.Errorf("%s listens on %s", component.Name, component.URL)
		}
		for _, arg := range component.Args {
			name, value, _ := strings.Cut(arg, "=")
			if name == "--bind-address" && value != "127.0.0.1" {
				t.Errorf("%s: %s", component.Name, arg)
			}
			if strings.HasSuffix(name, "-urls") && !strings.HasPrefix(value, "https://127.0.0.1:") {
				t.Errorf("%s: %s", component.Name, arg)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	want := map[string][]string{
		Etcd:              {"--unsafe-no-fsync", "--client-cert-auth", "--peer-client-cert-auth", "--listen-peer-urls=https://127.0.0.1:40002"},
		APIServer:         {"--authorization-mode=Node,RBAC", "--endpoint-reconciler-type=none", "--enable-aggregator-routing=true", "--service-cluster-ip-range=10.96.0.0/14", "--allow-privileged=true", "--audit-log-mode=blocking"},
		ControllerManager: {"--use-service-account-credentials=true", "--leader-elect=false", "--kube-api-qps=500"},
		Scheduler:         {"--leader-elect=false", "--kube-api-burst=1000"},
	}
	for _, component := range testConfig().Components() {
		args := "\n" + strings.Join(component.Args, "\n") + "\n"
		for _, arg := range want[component.Name] {
			if !strings.Contains(args, "\n"+arg+"\n") {
				t.Errorf("%s lacks %s", component.Name, arg)
			}
		}
		if strings.Contains(args, "--disable-admission-plugins") {
			t.Errorf("%s turns admission off", component.Name)
		}
		if component.Path != filepath.Join("/assets", component.Name) {
			t.Errorf("%s is at %s", component.Name, component.Path)
		}
	}
}

func TestCertificates(t *testing.T) {
	files, err := testConfig().Files()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, ca, dns string
		usage         x509.ExtKeyUsage
		user, group   string
	}{
		{"server", clusterCA, "kubernetes.default.svc", x509.ExtKeyUsageServerAuth, APIServer, ""},
		{"server", clusterCA, "127.0.0.1", x509.ExtKeyUsageServerAuth, APIServer, ""},
		{"admin", clusterCA, "", x509.ExtKeyUsageClientAuth, "devcluster-admin", "system:masters"},
		{"etcd", etcdCA, "127.0.0.1", x509.ExtKeyUsageServerAuth, Etcd, ""},
		{"etcd-client", etcdCA, "", x509.ExtKeyUsageClientAuth, "etcd-client", ""},
		{"front-proxy-client", frontProxyCA, "", x509.ExtKeyUsageClientAuth, "front-proxy-client", ""},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.dns, func(t *testing.T) {
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(files[PKIDir+"/"+test.ca])
			block, _ := pem.Decode(files[PKIDir+"/"+test.name+".crt"])
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			options := x509.VerifyOptions{Roots: roots, DNSName: test.dns, KeyUsages: []x509.ExtKeyUsage{test.usage}}
			if _, err := cert.Verify(options); err != nil {
				t.Error(err)
			}
			if group := strings.Join(cert.Subject.Organization, " "); cert.Subject.CommonName != test.user || group != test.group {
				t.Errorf("it names %s in %q", cert.Subject.CommonName, group)
			}
		})
	}
	for _, name := range []string{Admin, ControllerManager, Scheduler, "kwok"} {
		if !strings.Contains(string(files[KubeconfigFile("", name)]), "server: https://127.0.0.1:40003") {
			t.Errorf("the kubeconfig of %s does not lead to the API server", name)
		}
	}
}
