package signals

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Set has the metric names and labels of a kind of exporter.
type Set struct {
	// Name is the set's name in the operator's configuration.
	Name string
	// requests is a counter with the label code and, unless empty, route. buckets
	// is the histogram of latencies, whose unit is in seconds. active is a gauge of
	// requests in flight. alive exists as long as the exporter does.
	requests, code, route string
	buckets               string
	unit                  float64
	active, alive         string
	// matcher is part of every selector.
	matcher string
	// service is the label of a gateway's metrics that names a Service; empty if
	// pods are counted one by one. instance is the label of each of its processes.
	service, instance string
}

// sets are the built-in sets.
var sets = []Set{
	{
		Name: "gati", requests: "gati_http_requests_total", code: "status_code", route: "route",
		buckets: "gati_http_request_duration_seconds_bucket", unit: 1, active: "gati_active_connections", alive: "gati_active_connections",
	},
	{
		// Istio's sidecars count requests of the mesh at the pod.
		Name: "istio", requests: "istio_requests_total", code: "response_code",
		buckets: "istio_request_duration_milliseconds_bucket", unit: 0.001, alive: "envoy_server_live", matcher: `reporter="destination"`,
	},
	{
		Name: "traefik", requests: "traefik_service_requests_total", code: "code", service: "service", instance: "instance",
		buckets: "traefik_service_request_duration_seconds_bucket", unit: 1, alive: "traefik_config_reloads_total",
	},
}

// SetNames returns the names of the built-in sets.
func SetNames() []string {
	var out []string
	for _, s := range sets {
		out = append(out, s.Name)
	}
	return out
}

// FindSet returns a built-in set.
func FindSet(name string) (Set, error) {
	at := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
	if at < 0 {
		return Set{}, fmt.Errorf("unknown metrics %q; choose one of %s", name, strings.Join(SetNames(), ", "))
	}
	return sets[at], nil
}

// isGateway reports whether the set counts at a gateway, which sees one of several
// paths.
func (s Set) isGateway() bool { return s.service != "" }

// statusClientGone is what proxies note of a request whose client gave up before the answer.
const statusClientGone = 499

// isFailure reports whether a status code is a failure: the server's, or of an answer that
// came too late for its client.
func isFailure(code string) bool {
	n, err := strconv.Atoi(code)
	return err == nil && (n >= 500 || n == statusClientGone)
}

// serviceNames returns Traefik's names of a subject's Service, of 3.4 and later and
// of earlier releases. Traefik replaces each run of other characters by one hyphen.
func serviceNames(s Subject) []string {
	port := strconv.Itoa(int(s.ServicePort))
	return []string{
		normalizeName(s.Namespace+"-"+s.Service+"-http-"+port) + "@kubernetesgateway",
		normalizeName(s.Namespace+"-"+s.Service+"-"+port) + "@kubernetesgateway",
	}
}

func normalizeName(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), "-")
}
