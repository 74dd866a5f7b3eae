package checkup

import (
	"encoding/json"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// Fact is something that was to be read.
type Fact[T any] struct {
	Value T
	// Absent is true when it does not exist.
	Absent bool
	// Unread is the reason why it is not known.
	Unread string
}

// Known reports whether the value was read.
func (f Fact[T]) Known() bool { return !f.Absent && f.Unread == "" }

// Facts are all that checks judge by.
type Facts struct {
	Now time.Time
	// Plugin is the version of the plugin.
	Plugin string
	// Namespace is the one whose handlers are looked at, empty for all; TrialNamespace is
	// where a handler is created as a dry run.
	Namespace, TrialNamespace string
	// Shipped is the object that the plugin would install.
	Shipped Shipped

	Server Fact[Version]
	// Served are the versions of each API group.
	Served Fact[map[string][]string]
	// The rest are by name; those of the cluster are the ones that Shipped names.
	CRDs     map[string]Fact[CRD]
	Hooks    map[string]Fact[HookConfiguration]
	Policies map[string]Fact[Policy]
	Bindings map[string]Fact[Binding]

	// Deployment is that of the hooks, Controllers that of the controllers.
	Deployment, Controllers Fact[Deployment]
	// Secrets are certificates in PEM, by the name of their Secret.
	Secrets map[string]Fact[[]byte]
	// Trials are creations of a handler as dry runs, by API version.
	Trials map[string]Fact[Trial]
	// Rights are those of the user, Installing those that installing takes.
	Rights, Installing Fact[[]Right]

	Handlers       Fact[[]v1.GatiHandler]
	Modules        Fact[[]v1.GatiModule]
	GatewayClasses Fact[[]GatewayClass]
	Routes         Fact[[]Route]
	MetricsAPI     Fact[Conditioned]
	// Prometheus is the address that gati-webhook asks, empty for none, and
	// PrometheusPods how many ready endpoints its Service has.
	Prometheus     Fact[string]
	PrometheusPods Fact[int]
}

// scope names the namespaces that are looked at.
func (f *Facts) scope(all string) string {
	if f.Namespace == "" {
		return all
	}
	return "namespace " + f.Namespace
}

// Shipped has the objects of a whole installation by the plugin's manifests.
type Shipped struct {
	CRDs     map[string]CRD
	Hooks    map[string]HookConfiguration
	Policies []string
	// Image is that of gati-webhook.
	Image string
}

// Version is the API server's version.
type Version struct {
	GitVersion string `json:"gitVersion"`
	Major      string `json:"major"`
	Minor      string `json:"minor"`
}

// ClientConfig is how the API server reaches gati-webhook.
type ClientConfig struct {
	CABundle []byte `json:"caBundle"`
	// URL is set where gati-webhook runs outside the cluster.
	URL string `json:"url"`
}

// CRD is as much of one as is judged.
type CRD struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		// Versions are compared as they stand.
		Versions   json.RawMessage `json:"versions"`
		Conversion struct {
			Strategy string `json:"strategy"`
			Webhook  *struct {
				ClientConfig ClientConfig `json:"clientConfig"`
			} `json:"webhook"`
		} `json:"conversion"`
	} `json:"spec"`
	Status struct {
		StoredVersions []string    `json:"storedVersions"`
		Conditions     []Condition `json:"conditions"`
	} `json:"status"`
}

// HookConfiguration is a MutatingWebhookConfiguration or a
// ValidatingWebhookConfiguration.
type HookConfiguration struct {
	Webhooks []Hook `json:"webhooks"`
}

// Hook is one hook of a configuration.
type Hook struct {
	Name              string          `json:"name"`
	ClientConfig      ClientConfig    `json:"clientConfig"`
	FailurePolicy     string          `json:"failurePolicy"`
	Rules             json.RawMessage `json:"rules"`
	NamespaceSelector *struct {
		MatchLabels      map[string]string `json:"matchLabels"`
		MatchExpressions []json.RawMessage `json:"matchExpressions"`
	} `json:"namespaceSelector"`
}

// Policy is a ValidatingAdmissionPolicy.
type Policy struct {
	Spec struct {
		FailurePolicy string `json:"failurePolicy"`
	} `json:"spec"`
}

// Binding is a ValidatingAdmissionPolicyBinding.
type Binding struct {
	Spec struct {
		PolicyName        string   `json:"policyName"`
		ValidationActions []string `json:"validationActions"`
	} `json:"spec"`
}

// Deployment is one of an installation.
type Deployment struct {
	Spec struct {
		Replicas int `json:"replicas"`
		Template struct {
			Spec struct {
				Containers []struct {
					Name  string `json:"name"`
					Image string `json:"image"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		AvailableReplicas int         `json:"availableReplicas"`
		Conditions        []Condition `json:"conditions"`
	} `json:"status"`
}

// Trial is the result of a creation as a dry run.
type Trial struct {
	// Refused is the API server's error, empty if it accepted the object.
	Refused string
	// Stamped is true when the mutating hook has been there.
	Stamped bool
}

// Right is something that the user asked whether they may.
type Right struct {
	Group, Resource, Verb string
	Allowed               bool
	// Unread is the reason why the question was not answered.
	Unread string
}

// Condition is one of Kubernetes' conditions.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Conditioned is an object of which the conditions matter.
type Conditioned struct {
	Status struct {
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// Named is the name of an object.
type Named struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// GatewayClass is one of the Gateway API.
type GatewayClass struct {
	Metadata Named `json:"metadata"`
	Spec     struct {
		ControllerName string `json:"controllerName"`
	} `json:"spec"`
	Conditioned `json:",inline"`
}

// Route is an HTTPRoute that gati-webhook has made.
type Route struct {
	Metadata Named `json:"metadata"`
	Spec     struct {
		ParentRefs []Named `json:"parentRefs"`
	} `json:"spec"`
	Status struct {
		Parents []struct {
			ParentRef  Named       `json:"parentRef"`
			Conditions []Condition `json:"conditions"`
		} `json:"parents"`
	} `json:"status"`
}

// findCondition returns the one of a type, nil when there is none.
func findCondition(list []Condition, kind string) *Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}
