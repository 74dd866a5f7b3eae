package validation

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// These are CEL's messages, too.
const (
	containerNameDetail  = "handler, module and names that start with gati- belong to the controller; choose another"
	containerTwiceDetail = "must not have the name of one of initContainers; rename one of the two"
	probeDetail          = "must have exactly one of exec, httpGet, tcpSocket and grpc"
)

// validateContainers rejects init containers and sidecars that no pod can have beside the own
// container, which listens on port.
func validateContainers(p *field.Path, s *v1.PodSettings, port *int32, static int32) field.ErrorList {
	if s == nil {
		return nil
	}
	own := static
	if port != nil {
		own = *port
	}
	errs := forEach(p.Child("initContainers"), s.InitContainers, func(p *field.Path, c *v1.InitContainer) field.ErrorList {
		return validateProgram(p, &c.ContainerProgram, s.Volumes)
	})
	isTaken := func(c v1.Sidecar) bool {
		return slices.ContainsFunc(s.InitContainers, func(i v1.InitContainer) bool { return i.Name == c.Name })
	}
	if slices.ContainsFunc(s.Sidecars, isTaken) {
		errs = append(errs, invalidValue(p.Child("sidecars"), omitValue, containerTwiceDetail)...)
	}
	ports := newPortCheck(own)
	return append(errs, forEach(p.Child("sidecars"), s.Sidecars, func(p *field.Path, c *v1.Sidecar) field.ErrorList {
		return joinErrors(
			validateProgram(p, &c.ContainerProgram, s.Volumes),
			forEach(p.Child("ports"), c.Ports, ports.validatePort),
			validateProbe(p.Child("startupProbe"), c.StartupProbe, true),
			validateProbe(p.Child("readinessProbe"), c.ReadinessProbe, false),
			validateProbe(p.Child("livenessProbe"), c.LivenessProbe, true),
		)
	})...)
}

// validateProgram checks what init containers and sidecars have in common.
func validateProgram(p *field.Path, c *v1.ContainerProgram, volumes []v1.Volume) field.ErrorList {
	return joinErrors(
		validateContainerName(p.Child("name"), c.Name),
		validateImage(p.Child("image"), c.Image),
		validateVariables(p.Child("env"), c.Env),
		validateEnvFrom(p.Child("envFrom"), c.EnvFrom),
		validateResources(p.Child("resources"), c.Resources),
		forEach(p.Child("volumeMounts"), c.VolumeMounts, func(p *field.Path, m *v1.VolumeMount) field.ErrorList {
			return joinErrors(validateOtherPath(p.Child("mountPath"), m.MountPath), validateMount(p, m, volumes))
		}),
	)
}

func validateContainerName(p *field.Path, name string) field.ErrorList {
	switch {
	case name == "":
		return requiredValue(p, "name the container")
	case len(utilvalidation.IsDNS1123Label(name)) > 0:
		return invalidValue(p, name, "must hold only a-z, 0-9 and hyphens, and start and end with a letter or digit")
	case strings.HasPrefix(name, "gati-") || name == "handler" || name == "module":
		return invalidValue(p, name, containerNameDetail)
	}
	return nil
}

// portCheck finds ports that two containers of a pod would listen on.
type portCheck struct {
	numbers map[string]bool
	names   map[string]bool
	own     int32
}

func newPortCheck(own int32) portCheck {
	return portCheck{map[string]bool{}, map[string]bool{}, own}
}

func (c portCheck) validatePort(p *field.Path, port *v1.ContainerPort) field.ErrorList {
	var errs field.ErrorList
	protocol := string(port.Protocol)
	if protocol == "" {
		protocol = string(corev1.ProtocolTCP)
	}
	key := fmt.Sprintf("%d/%s", port.ContainerPort, protocol)
	switch {
	case port.ContainerPort == c.own && protocol == string(corev1.ProtocolTCP):
		errs = invalidValue(p.Child("containerPort"), port.ContainerPort, "is spec.port, which the own container listens on; choose another port for the sidecar")
	case c.numbers[key]:
		errs = invalidValue(p.Child("containerPort"), port.ContainerPort, "another sidecar listens on it; choose another")
	}
	c.numbers[key] = true
	if port.Name == "" {
		return errs
	}
	if c.names[port.Name] {
		errs = append(errs, field.Duplicate(p.Child("name"), port.Name))
	}
	c.names[port.Name] = true
	return append(errs, invalidValues(p.Child("name"), port.Name, utilvalidation.IsValidPortName(port.Name))...)
}

// validateProbe checks a probe; one that restarts the container succeeds at once.
func validateProbe(p *field.Path, probe *v1.ContainerProbe, restarts bool) field.ErrorList {
	if probe == nil {
		return nil
	}
	var errs field.ErrorList
	if countTrue(probe.Exec != nil, probe.HTTPGet != nil, probe.TCPSocket != nil, probe.GRPC != nil) != 1 {
		errs = invalidValue(p, omitValue, probeDetail)
	}
	if h := probe.HTTPGet; h != nil && h.Path != "" && !strings.HasPrefix(h.Path, "/") {
		errs = append(errs, invalidValue(p.Child("httpGet", "path"), h.Path, "must start with a slash, such as /health")...)
	}
	if restarts && probe.SuccessThreshold > 1 {
		errs = append(errs, invalidValue(p.Child("successThreshold"), probe.SuccessThreshold, "must be 1, as Kubernetes has it for this probe; remove it")...)
	}
	return errs
}
