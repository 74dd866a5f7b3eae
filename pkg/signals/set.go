package signals

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Set is how a kind of exporter names what it counts.
type Set struct {
	// Name is what the operator's configuration calls it.
	Name string
	// requests is a counter with the labels code and, unless empty, route. buckets is
	// the histogram of its times, in units of so many seconds. active is a gauge of
	// what is under way. alive is there as long as the exporter is.
	requests, code, route string
	buckets               string
	unit                  float64
	active, alive         string
	// matcher is part of every selector.
	matcher string
	// service is the label of a gateway's metrics that names a Service; empty where
	// the pods are counted one by one.
	service string
}

// sets are the built-in ones.
var sets = []Set{
	{
		Name: "gati", requests: "gati_http_requests_total", code: "status_code", route: "route",
		buckets: "gati_http_request_duration_seconds_bucket", unit: 1, active: "gati_active_connections", alive: "gati_active_connections",
	},
	{
		// Istio's sidecars count at the pod what comes through the mesh.
		Name: "istio", requests: "istio_requests_total", code: "response_code",
		buckets: "istio_request_duration_milliseconds_bucket", unit: 0.001, alive: "envoy_server_live", matcher: `reporter="destination"`,
	},
	{
		Name: "traefik", requests: "traefik_service_requests_total", code: "code", service: "service",
		buckets: "traefik_service_request_duration_seconds_bucket", unit: 1, alive: "traefik_config_reloads_total",
	},
}

// SetNames are the names of the built-in sets.
func SetNames() []string {
	var out []string
	for _, s := range sets {
		out = append(out, s.Name)
	}
	return out
}

// SetOf returns a built-in set.
func SetOf(name string) (Set, error) {
	at := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
	if at < 0 {
		return Set{}, fmt.Errorf("there are no metrics called %q; choose one of %s", name, strings.Join(SetNames(), ", "))
	}
	return sets[at], nil
}

// gateway reports whether the set counts at a gateway, which is one of several ways.
func (s Set) gateway() bool { return s.service != "" }

// failed reports whether a status code is a failure.
func failed(code string) bool {
	n, err := strconv.Atoi(code)
	return err == nil && n >= 500
}

// servicesOf are the names that Traefik gives to the Service of a subject: those of
// 3.4 and later, and those before. It makes one hyphen of any run of other characters.
func servicesOf(s Subject) []string {
	port := strconv.Itoa(int(s.Port))
	return []string{
		normalized(s.Namespace+"-"+s.Service+"-http-"+port) + "@kubernetesgateway",
		normalized(s.Namespace+"-"+s.Service+"-"+port) + "@kubernetesgateway",
	}
}

func normalized(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), "-")
}
