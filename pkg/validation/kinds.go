package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// outcome holds the errors of one named check.
type outcome struct {
	check string
	errs  field.ErrorList
}

// checkHandler runs the checks of a handler in the order in which people read a spec.
func checkHandler(new, _ *v1.GatiHandler) []outcome {
	s, at := &new.Spec, specPath.Child
	return []outcome{
		{"name", validateObjectName(new.Name, new.GenerateName)},
		{"path", validatePath(at("path"), s.Path)},
		{"version", validateVersionID(at("version"), s.Version)},
		{"image", validateImage(at("image"), s.Image)},
		{"resources", validateResources(at("resources"), s.Resources)},
		{"env", validateEnv(at("env"), s.Env)},
		{"envFrom", validateEnvFrom(at("envFrom"), s.EnvFrom)},
		{"healthCheck", validateHealthCheck(at("healthCheck"), s.HealthCheck)},
		{"autoscaling", validateAutoscaling(at("autoscaling"), s.Autoscaling)},
		{"rollout", validateRollout(at("rollout"), s.Rollout)},
		{"strategy", validateManualScaling(at("rollout", "strategy"), s)},
		{"checks", validateChecks(at("rollout", "checks"), s)},
		{"contract", validateVersionID(at("contract"), s.Contract)},
		{"route", validateRoute(at("route"), s.Route)},
		{"pathMatch", validatePathMatch(at("route", "pathMatch"), s.Path, s.Route)},
		{"filters", validateFilters(at("route", "filters"), s.Path, s.Route)},
		{"versions", validateVersionPolicy(at("versions"), s.Versions)},
		{"schema", validateSchemas(at("schema"), s.Schema)},
		{"modules", validateModules(at("modules"), s.Modules)},
		{"pod", validatePod(at("pod"), s.Pod)},
		{"scheduling", validateScheduling(at("pod"), s.Pod)},
		{"volumes", validateVolumes(at("pod"), s.Pod)},
		{"volumeMounts", validateMounts(at("pod"), s.Pod)},
		{"containers", validateContainers(at("pod"), s.Pod, s.Port, v1.DefaultHandlerPort)},
	}
}

func checkModule(new, _ *v1.GatiModule) []outcome {
	s, at := &new.Spec, specPath.Child
	return []outcome{
		{"name", validateObjectName(new.Name, new.GenerateName)},
		{"image", validateImage(at("image"), s.Image)},
		{"resources", validateResources(at("resources"), s.Resources)},
		{"env", validateEnv(at("env"), s.Env)},
		{"config", validateConfig(at("config"), s.Config)},
		{"capabilities", validateCapabilities(at("capabilities"), s.Capabilities)},
		{"secrets", validateSecretGrant(specPath, s)},
		{"files", validateFileGrant(at("pod"), s)},
		{"autoscaling", validateModuleAutoscaling(at("autoscaling"), s.Autoscaling)},
		{"rollout", validateModuleRollout(at("rollout"), s.Rollout)},
		{"healthCheck", validateHealthCheck(at("healthCheck"), (*v1.HealthCheck)(s.HealthCheck))},
		{"pod", validatePod(at("pod"), s.Pod)},
		{"scheduling", validateScheduling(at("pod"), s.Pod)},
		{"volumes", validateVolumes(at("pod"), s.Pod)},
		{"volumeMounts", validateMounts(at("pod"), s.Pod)},
		{"containers", validateContainers(at("pod"), s.Pod, s.Port, v1.DefaultModulePort)},
	}
}

func checkVersion(new, old *v1.GatiVersion) []outcome {
	s, at := &new.Spec, specPath.Child
	return []outcome{
		{"handler", validateReferencedName(at("handler"), s.Handler)},
		{"version", validateVersionID(at("version"), s.Version)},
		{"transformers", validateTransformers(at("transformers"), s.Transformers)},
		{"tags", validateTags(at("tags"), s.Tags)},
		{"schema", validateSchemas(at("schema"), s.Schema)},
		{"deploymentName", validateDNSName(at("deploymentName"), s.DeploymentName)},
		{"serviceName", validateServiceName(at("serviceName"), s.ServiceName)},
		{"immutable", validateUnchanged(new, old)},
	}
}
