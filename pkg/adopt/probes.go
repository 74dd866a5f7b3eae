package adopt

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
)

// The defaults of Kubernetes for a probe.
const (
	defaultPeriod   = 10
	defaultTimeout  = 1
	defaultFailures = 3
)

// translateProbes takes over the readiness probe, else the liveness or startup probe, as the
// health check of the handler. What the others have in addition is left.
func (t *translation) translateProbes(c tree, named map[string]int32) {
	names := []string{"readinessProbe", "livenessProbe", "startupProbe"}
	check := &v1.HealthCheck{Type: v1.HealthCheckTCP}
	for _, name := range names {
		if found := t.readProbe(peek[*corev1.Probe](c, name), named); found != nil {
			check = found
			break
		}
	}
	t.handler.Spec.HealthCheck = check
	for _, name := range names {
		if !c.has(name) {
			t.addItem(c, name, describeCheck(check), "the probes of a handler are one: spec.healthCheck", "set spec.healthCheck to what answers when the program can serve")
			continue
		}
		t.dropProbe(c, name, named)
	}
}

func describeCheck(check *v1.HealthCheck) string {
	if check.Type == v1.HealthCheckHTTP {
		return "http " + check.Path
	}
	return string(check.Type)
}

// readProbe returns the health check of a probe, nil where the handler cannot ask so.
func (t *translation) readProbe(p *corev1.Probe, named map[string]int32) *v1.HealthCheck {
	if p == nil {
		return nil
	}
	check := &v1.HealthCheck{}
	switch ask := p.ProbeHandler; {
	case ask.HTTPGet != nil && t.isOwnPort(ask.HTTPGet.Port, named) && ask.HTTPGet.Scheme != corev1.URISchemeHTTPS && ask.HTTPGet.Host == "":
		check.Type, check.Path = v1.HealthCheckHTTP, ask.HTTPGet.Path
		if check.Path == "" {
			check.Path = "/"
		}
	case ask.TCPSocket != nil && t.isOwnPort(ask.TCPSocket.Port, named) && ask.TCPSocket.Host == "":
		check.Type = v1.HealthCheckTCP
	case ask.GRPC != nil && ask.GRPC.Port == *t.handler.Spec.Port && (ask.GRPC.Service == nil || *ask.GRPC.Service == ""):
		check.Type = v1.HealthCheckGRPC
	default:
		return nil
	}
	failures := orDefault(p.FailureThreshold, defaultFailures)
	check.FailureThreshold = &failures
	check.Interval = formatSeconds(int64(orDefault(p.PeriodSeconds, defaultPeriod)))
	check.Timeout = formatSeconds(int64(orDefault(p.TimeoutSeconds, defaultTimeout)))
	return check
}

func (t *translation) isOwnPort(port intstr.IntOrString, named map[string]int32) bool {
	if port.Type == intstr.String {
		return named[port.StrVal] == *t.handler.Spec.Port
	}
	return port.IntVal == *t.handler.Spec.Port
}

func orDefault(value, fallback int32) int32 {
	if value == 0 {
		return fallback
	}
	return value
}

// dropProbe takes out a probe that asks as the handler does. One that asks in another way, or
// at other times, is left.
func (t *translation) dropProbe(c tree, name string, named map[string]int32) {
	p, check := peek[*corev1.Probe](c, name), t.handler.Spec.HealthCheck
	own := t.readProbe(p, named)
	if own == nil || name == "startupProbe" || describeCheck(own) != describeCheck(check) ||
		own.Interval != check.Interval || own.Timeout != check.Timeout || *own.FailureThreshold != *check.FailureThreshold {
		return
	}
	at := c.enter(name)
	at.dropAll("periodSeconds", "timeoutSeconds", "failureThreshold")
	at.dropEqual("successThreshold", 1)
	at.dropEqual("initialDelaySeconds", 0)
	for _, kind := range []string{"httpGet", "tcpSocket", "grpc"} {
		ask := at.enter(kind)
		ask.dropAll("path", "port")
		ask.dropEqual("scheme", "HTTP")
	}
}
