package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// The checks of each kind, in the order in which people read a spec.
var (
	handlerChecks = []check[v1.GatiHandler]{
		{"name", func(c change[v1.GatiHandler]) field.ErrorList { return objectName(c.new.Name, c.new.GenerateName) }},
		handler("path", func(s *v1.GatiHandlerSpec) field.ErrorList { return urlPath(specPath.Child("path"), s.Path) }),
		handler("methods", func(s *v1.GatiHandlerSpec) field.ErrorList { return methods(specPath.Child("methods"), s.Methods) }),
		handler("version", func(s *v1.GatiHandlerSpec) field.ErrorList { return versionID(specPath.Child("version"), s.Version) }),
		handler("image", func(s *v1.GatiHandlerSpec) field.ErrorList { return image(specPath.Child("image"), s.Image) }),
		handler("port", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return between(specPath.Child("port"), s.Port, 1, maxPort)
		}),
		handler("replicas", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return between(specPath.Child("replicas"), s.Replicas, 0, maxReplicas)
		}),
		handler("resources", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return resources(specPath.Child("resources"), s.Resources)
		}),
		handler("env", func(s *v1.GatiHandlerSpec) field.ErrorList { return env(specPath.Child("env"), s.Env) }),
		handler("envFrom", func(s *v1.GatiHandlerSpec) field.ErrorList { return envFrom(specPath.Child("envFrom"), s.EnvFrom) }),
		handler("healthCheck", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return health(specPath.Child("healthCheck"), s.HealthCheck)
		}),
		handler("autoscaling", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return autoscaling(specPath.Child("autoscaling"), s.Autoscaling)
		}),
		handler("rollout", func(s *v1.GatiHandlerSpec) field.ErrorList { return rollout(specPath.Child("rollout"), s.Rollout) }),
		handler("strategy", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return manualScaling(specPath.Child("rollout", "strategy"), s)
		}),
		handler("timescape", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return timescape(specPath.Child("timescape"), s.Timescape)
		}),
		handler("route", func(s *v1.GatiHandlerSpec) field.ErrorList { return route(specPath.Child("route"), s.Route) }),
		handler("pathMatch", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return pathMatch(specPath.Child("route", "pathMatch"), s.Path, s.Route)
		}),
		handler("filters", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return filters(specPath.Child("route", "filters"), s.Route)
		}),
		handler("versions", func(s *v1.GatiHandlerSpec) field.ErrorList {
			return versionPolicy(specPath.Child("versions"), s.Versions)
		}),
		handler("schema", func(s *v1.GatiHandlerSpec) field.ErrorList { return schemas(specPath.Child("schema"), s.Schema) }),
		handler("modules", func(s *v1.GatiHandlerSpec) field.ErrorList { return modules(specPath.Child("modules"), s.Modules) }),
		handler("pod", func(s *v1.GatiHandlerSpec) field.ErrorList { return pod(specPath.Child("pod"), s.Pod) }),
		handler("scheduling", func(s *v1.GatiHandlerSpec) field.ErrorList { return scheduling(specPath.Child("pod"), s.Pod) }),
		handler("volumes", func(s *v1.GatiHandlerSpec) field.ErrorList { return podVolumes(specPath.Child("pod"), s.Pod) }),
		handler("volumeMounts", func(s *v1.GatiHandlerSpec) field.ErrorList { return podMounts(specPath.Child("pod"), s.Pod) }),
	}

	moduleChecks = []check[v1.GatiModule]{
		{"name", func(c change[v1.GatiModule]) field.ErrorList { return objectName(c.new.Name, c.new.GenerateName) }},
		module("type", func(s *v1.GatiModuleSpec) field.ErrorList { return moduleType(specPath.Child("type"), s.Type) }),
		module("moduleName", func(s *v1.GatiModuleSpec) field.ErrorList {
			return atMost(specPath.Child("moduleName"), s.ModuleName, maxModuleText)
		}),
		module("runtime", func(s *v1.GatiModuleSpec) field.ErrorList {
			return atMost(specPath.Child("runtime"), s.Runtime, maxModuleText)
		}),
		module("image", func(s *v1.GatiModuleSpec) field.ErrorList { return image(specPath.Child("image"), s.Image) }),
		module("port", func(s *v1.GatiModuleSpec) field.ErrorList { return between(specPath.Child("port"), s.Port, 1, maxPort) }),
		module("replicas", func(s *v1.GatiModuleSpec) field.ErrorList {
			return between(specPath.Child("replicas"), s.Replicas, 0, maxReplicas)
		}),
		module("resources", func(s *v1.GatiModuleSpec) field.ErrorList {
			return resources(specPath.Child("resources"), s.Resources)
		}),
		module("env", func(s *v1.GatiModuleSpec) field.ErrorList { return env(specPath.Child("env"), s.Env) }),
		module("config", func(s *v1.GatiModuleSpec) field.ErrorList { return config(specPath.Child("config"), s.Config) }),
		module("capabilities", func(s *v1.GatiModuleSpec) field.ErrorList {
			return capabilities(specPath.Child("capabilities"), s.Capabilities)
		}),
		module("autoscaling", func(s *v1.GatiModuleSpec) field.ErrorList {
			return moduleScaling(specPath.Child("autoscaling"), s.Autoscaling)
		}),
		module("healthCheck", func(s *v1.GatiModuleSpec) field.ErrorList {
			return health(specPath.Child("healthCheck"), (*v1.HealthCheck)(s.HealthCheck))
		}),
		module("pod", func(s *v1.GatiModuleSpec) field.ErrorList { return pod(specPath.Child("pod"), s.Pod) }),
		module("scheduling", func(s *v1.GatiModuleSpec) field.ErrorList { return scheduling(specPath.Child("pod"), s.Pod) }),
		module("volumes", func(s *v1.GatiModuleSpec) field.ErrorList { return podVolumes(specPath.Child("pod"), s.Pod) }),
		module("volumeMounts", func(s *v1.GatiModuleSpec) field.ErrorList { return podMounts(specPath.Child("pod"), s.Pod) }),
	}

	versionChecks = []check[v1.GatiVersion]{
		version("handler", func(s *v1.GatiVersionSpec) field.ErrorList { return otherName(specPath.Child("handler"), s.Handler) }),
		version("version", func(s *v1.GatiVersionSpec) field.ErrorList { return versionID(specPath.Child("version"), s.Version) }),
		version("traffic", func(s *v1.GatiVersionSpec) field.ErrorList {
			return between(specPath.Child("traffic"), s.Traffic, 0, 100)
		}),
		version("transformers", func(s *v1.GatiVersionSpec) field.ErrorList {
			return transformers(specPath.Child("transformers"), s.Transformers)
		}),
		version("tags", func(s *v1.GatiVersionSpec) field.ErrorList { return tags(specPath.Child("tags"), s.Tags) }),
		version("schema", func(s *v1.GatiVersionSpec) field.ErrorList { return schemas(specPath.Child("schema"), s.Schema) }),
		version("deploymentName", func(s *v1.GatiVersionSpec) field.ErrorList {
			return deploymentName(specPath.Child("deploymentName"), s.DeploymentName)
		}),
		version("serviceName", func(s *v1.GatiVersionSpec) field.ErrorList {
			return serviceName(specPath.Child("serviceName"), s.ServiceName)
		}),
		{"immutable", immutable},
	}
)

func handler(name string, find func(*v1.GatiHandlerSpec) field.ErrorList) check[v1.GatiHandler] {
	return check[v1.GatiHandler]{name, func(c change[v1.GatiHandler]) field.ErrorList { return find(&c.new.Spec) }}
}

func module(name string, find func(*v1.GatiModuleSpec) field.ErrorList) check[v1.GatiModule] {
	return check[v1.GatiModule]{name, func(c change[v1.GatiModule]) field.ErrorList { return find(&c.new.Spec) }}
}

func version(name string, find func(*v1.GatiVersionSpec) field.ErrorList) check[v1.GatiVersion] {
	return check[v1.GatiVersion]{name, func(c change[v1.GatiVersion]) field.ErrorList { return find(&c.new.Spec) }}
}
