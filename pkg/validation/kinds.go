package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// The checks of each kind, in the order in which people read a spec.
var (
	handlerChecks = []check[v1.GatiHandler]{
		{"name", func(c change[v1.GatiHandler]) field.ErrorList {
			return validateObjectName(c.new.Name, c.new.GenerateName)
		}},
		handlerCheck("path", func(s *v1.GatiHandlerSpec) field.ErrorList { return validatePath(specPath.Child("path"), s.Path) }),
		handlerCheck("methods", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateMethods(specPath.Child("methods"), s.Methods)
		}),
		handlerCheck("version", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateVersionID(specPath.Child("version"), s.Version)
		}),
		handlerCheck("image", func(s *v1.GatiHandlerSpec) field.ErrorList { return validateImage(specPath.Child("image"), s.Image) }),
		handlerCheck("port", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return limitRange(specPath.Child("port"), s.Port, 1, maxPort)
		}),
		handlerCheck("replicas", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return limitRange(specPath.Child("replicas"), s.Replicas, 0, maxReplicas)
		}),
		handlerCheck("resources", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateResources(specPath.Child("resources"), s.Resources)
		}),
		handlerCheck("env", func(s *v1.GatiHandlerSpec) field.ErrorList { return validateEnv(specPath.Child("env"), s.Env) }),
		handlerCheck("envFrom", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateEnvFrom(specPath.Child("envFrom"), s.EnvFrom)
		}),
		handlerCheck("healthCheck", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateHealthCheck(specPath.Child("healthCheck"), s.HealthCheck)
		}),
		handlerCheck("autoscaling", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateAutoscaling(specPath.Child("autoscaling"), s.Autoscaling)
		}),
		handlerCheck("rollout", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateRollout(specPath.Child("rollout"), s.Rollout)
		}),
		handlerCheck("strategy", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateManualScaling(specPath.Child("rollout", "strategy"), s)
		}),
		handlerCheck("timescape", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateTimescape(specPath.Child("timescape"), s.Timescape)
		}),
		handlerCheck("route", func(s *v1.GatiHandlerSpec) field.ErrorList { return validateRoute(specPath.Child("route"), s.Route) }),
		handlerCheck("pathMatch", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validatePathMatch(specPath.Child("route", "pathMatch"), s.Path, s.Route)
		}),
		handlerCheck("filters", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateFilters(specPath.Child("route", "filters"), s.Route)
		}),
		handlerCheck("versions", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateVersionPolicy(specPath.Child("versions"), s.Versions)
		}),
		handlerCheck("schema", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateSchemas(specPath.Child("schema"), s.Schema)
		}),
		handlerCheck("modules", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return validateModules(specPath.Child("modules"), s.Modules)
		}),
		handlerCheck("pod", func(s *v1.GatiHandlerSpec) field.ErrorList { return validatePod(specPath.Child("pod"), s.Pod) }),
		handlerCheck("scheduling", func(s *v1.GatiHandlerSpec) field.ErrorList { return validateScheduling(specPath.Child("pod"), s.Pod) }),
		handlerCheck("volumes", func(s *v1.GatiHandlerSpec) field.ErrorList { return validateVolumes(specPath.Child("pod"), s.Pod) }),
		handlerCheck("volumeMounts", func(s *v1.GatiHandlerSpec) field.ErrorList { return validateMounts(specPath.Child("pod"), s.Pod) }),
	}

	moduleChecks = []check[v1.GatiModule]{
		{"name", func(c change[v1.GatiModule]) field.ErrorList {
			return validateObjectName(c.new.Name, c.new.GenerateName)
		}},
		moduleCheck("type", func(s *v1.GatiModuleSpec) field.ErrorList { return validateModuleType(specPath.Child("type"), s.Type) }),
		moduleCheck("moduleName", func(s *v1.GatiModuleSpec) field.ErrorList {
			return limitLength(specPath.Child("moduleName"), s.ModuleName, maxModuleTextLength)
		}),
		moduleCheck("runtime", func(s *v1.GatiModuleSpec) field.ErrorList {
			return limitLength(specPath.Child("runtime"), s.Runtime, maxModuleTextLength)
		}),
		moduleCheck("image", func(s *v1.GatiModuleSpec) field.ErrorList { return validateImage(specPath.Child("image"), s.Image) }),
		moduleCheck("port", func(s *v1.GatiModuleSpec) field.ErrorList {
			return limitRange(specPath.Child("port"), s.Port, 1, maxPort)
		}),
		moduleCheck("replicas", func(s *v1.GatiModuleSpec) field.ErrorList {
			return limitRange(specPath.Child("replicas"), s.Replicas, 0, maxReplicas)
		}),
		moduleCheck("resources", func(s *v1.GatiModuleSpec) field.ErrorList {
			return validateResources(specPath.Child("resources"), s.Resources)
		}),
		moduleCheck("env", func(s *v1.GatiModuleSpec) field.ErrorList { return validateEnv(specPath.Child("env"), s.Env) }),
		moduleCheck("config", func(s *v1.GatiModuleSpec) field.ErrorList { return validateConfig(specPath.Child("config"), s.Config) }),
		moduleCheck("capabilities", func(s *v1.GatiModuleSpec) field.ErrorList {
			return validateCapabilities(specPath.Child("capabilities"), s.Capabilities)
		}),
		moduleCheck("autoscaling", func(s *v1.GatiModuleSpec) field.ErrorList {
			return validateModuleAutoscaling(specPath.Child("autoscaling"), s.Autoscaling)
		}),
		moduleCheck("healthCheck", func(s *v1.GatiModuleSpec) field.ErrorList {
			return validateHealthCheck(specPath.Child("healthCheck"), (*v1.HealthCheck)(s.HealthCheck))
		}),
		moduleCheck("pod", func(s *v1.GatiModuleSpec) field.ErrorList { return validatePod(specPath.Child("pod"), s.Pod) }),
		moduleCheck("scheduling", func(s *v1.GatiModuleSpec) field.ErrorList { return validateScheduling(specPath.Child("pod"), s.Pod) }),
		moduleCheck("volumes", func(s *v1.GatiModuleSpec) field.ErrorList { return validateVolumes(specPath.Child("pod"), s.Pod) }),
		moduleCheck("volumeMounts", func(s *v1.GatiModuleSpec) field.ErrorList { return validateMounts(specPath.Child("pod"), s.Pod) }),
	}

	versionChecks = []check[v1.GatiVersion]{
		versionCheck("handler", func(s *v1.GatiVersionSpec) field.ErrorList {
			return validateReferencedName(specPath.Child("handler"), s.Handler)
		}),
		versionCheck("version", func(s *v1.GatiVersionSpec) field.ErrorList {
			return validateVersionID(specPath.Child("version"), s.Version)
		}),
		versionCheck("traffic", func(s *v1.GatiVersionSpec) field.ErrorList {
			return limitRange(specPath.Child("traffic"), s.Traffic, 0, 100)
		}),
		versionCheck("transformers", func(s *v1.GatiVersionSpec) field.ErrorList {
			return validateTransformers(specPath.Child("transformers"), s.Transformers)
		}),
		versionCheck("tags", func(s *v1.GatiVersionSpec) field.ErrorList { return validateTags(specPath.Child("tags"), s.Tags) }),
		versionCheck("schema", func(s *v1.GatiVersionSpec) field.ErrorList {
			return validateSchemas(specPath.Child("schema"), s.Schema)
		}),
		versionCheck("deploymentName", func(s *v1.GatiVersionSpec) field.ErrorList {
			return validateDeploymentName(specPath.Child("deploymentName"), s.DeploymentName)
		}),
		versionCheck("serviceName", func(s *v1.GatiVersionSpec) field.ErrorList {
			return validateServiceName(specPath.Child("serviceName"), s.ServiceName)
		}),
		{"immutable", validateUnchanged},
	}
)

func handlerCheck(name string, find func(*v1.GatiHandlerSpec) field.ErrorList) check[v1.GatiHandler] {
	return check[v1.GatiHandler]{name, func(c change[v1.GatiHandler]) field.ErrorList { return find(&c.new.Spec) }}
}

func moduleCheck(name string, find func(*v1.GatiModuleSpec) field.ErrorList) check[v1.GatiModule] {
	return check[v1.GatiModule]{name, func(c change[v1.GatiModule]) field.ErrorList { return find(&c.new.Spec) }}
}

func versionCheck(name string, find func(*v1.GatiVersionSpec) field.ErrorList) check[v1.GatiVersion] {
	return check[v1.GatiVersion]{name, func(c change[v1.GatiVersion]) field.ErrorList { return find(&c.new.Spec) }}
}
