package expand

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
)

// startPeriodSeconds and startAttempts give a pod four minutes to start, and detect
// the start within two seconds.
const (
	// startPeriodSeconds and startAttempts give a pod four minutes to start, and
	// notice within two seconds that it has.
	startPeriodSeconds = 2
	startAttempts      = 120
)

// probes are the three probes of a container.
type probes struct{ startup, readiness, liveness *corev1.Probe }

// newProbes returns the probes of a health check on the container's port.
func newProbes(kind v1.HealthCheckType, path string, port int32, interval, timeout v1.Duration, failures int32) probes {
	ask := newProbeHandler(kind, path, port)
	probe := func(period, wait, threshold int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler: ask, PeriodSeconds: period, TimeoutSeconds: wait,
			SuccessThreshold: 1, FailureThreshold: threshold,
		}
	}
	period, wait := toSeconds(interval, 10*time.Second), toSeconds(timeout, 3*time.Second)
	return probes{
		startup:   probe(startPeriodSeconds, wait, startAttempts),
		readiness: probe(period, wait, failures),
		liveness:  probe(period, wait, failures),
	}
}

func newProbeHandler(kind v1.HealthCheckType, path string, port int32) corev1.ProbeHandler {
	number := intstr.FromInt32(port)
	switch kind {
	case v1.HealthCheckTCP:
		return corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: number}}
	case v1.HealthCheckGRPC:
		service := ""
		return corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: port, Service: &service}}
	default:
		if path == "" {
			path = v1.DefaultHealthPath
		}
		return corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: number, Scheme: corev1.URISchemeHTTP}}
	}
}

// toSeconds returns a duration in seconds, at most the largest 32-bit number.
func toSeconds(d v1.Duration, fallback time.Duration) int32 {
	return int32(min(d.Or(fallback)/time.Second, math.MaxInt32))
}
