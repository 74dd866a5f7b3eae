// Command podtargets is an HTTP service discovery for Prometheus: GET / lists the current
// pods, with the labels that Prometheus's own discovery of pods has. Debian builds
// Prometheus without that.
//
// It must not know which pods are worth scraping: relabelling decides that.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	listen := flag.String("listen", "", "address to answer at")
	server := flag.String("server", "", "URL of the API server")
	ca := flag.String("ca", "", "file of the API server's authority")
	cert := flag.String("cert", "", "file of the certificate to be known by")
	key := flag.String("key", "", "file of its key")
	flag.Parse()
	client, err := newClient(*ca, *cert, *key)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		pods, err := listPods(r, client, *server)
		if err != nil {
			// Prometheus keeps the targets it has.
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(targetsOf(pods))
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func newClient(ca, cert, key string) (*http.Client, error) {
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	config := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: config}}, nil
}

// pod is the part of a Pod that becomes targets and labels.
type pod struct {
	Metadata struct {
		Name, Namespace     string
		Labels, Annotations map[string]string
	}
	Spec struct {
		NodeName   string
		Containers []struct {
			Name  string
			Ports []struct{ ContainerPort int }
		}
	}
	Status struct{ Phase, PodIP string }
}

func listPods(r *http.Request, client *http.Client, server string) ([]pod, error) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, server+"/api/v1/pods?resourceVersion=0", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list pods: HTTP %d", response.StatusCode)
	}
	var answer struct{ Items []pod }
	err = json.NewDecoder(response.Body).Decode(&answer)
	return answer.Items, err
}

// group is a target group as Prometheus reads it.
type group struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// targetsOf has one for each port of each container, and one for a pod that names
// none.
func targetsOf(pods []pod) []group {
	groups := []group{}
	for _, p := range pods {
		if p.Status.PodIP == "" {
			continue
		}
		addresses := []string{}
		for _, c := range p.Spec.Containers {
			for _, port := range c.Ports {
				addresses = append(addresses, net.JoinHostPort(p.Status.PodIP, fmt.Sprint(port.ContainerPort)))
			}
		}
		if len(addresses) == 0 {
			addresses = append(addresses, p.Status.PodIP)
		}
		groups = append(groups, group{Targets: addresses, Labels: labelsOf(p)})
	}
	return groups
}
