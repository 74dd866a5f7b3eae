package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target"
)

func status(code int, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: int32(code), Reason: reason, Message: message}}
}

func TestJudge(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	tests := map[string]struct {
		err  error
		want finding
	}{
		"nothing":              {nil, passed},
		"a foreign object":     {&target.ForeignError{Kind: "Service", Name: "a"}, refusal},
		"an API not served":    {facts.Facts{}.Unserved("HTTPRoute"), refusal},
		"a quota":              {apierrors.NewForbidden(pods, "a", errors.New("exceeded quota: q")), refusal},
		"a field":              {apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "a", nil), refusal},
		"a bad request":        {apierrors.NewBadRequest("no"), refusal},
		"too large":            {apierrors.NewRequestEntityTooLargeError("no"), refusal},
		"a webhook's own code": {status(http.StatusTeapot, "", `admission webhook "w" denied the request: no`), refusal},
		"a right that we lack": {apierrors.NewForbidden(pods, "a", errors.New(`User "system:serviceaccount:a:b" cannot create resource "pods"`)), unknown},
		"no dry run":           {apierrors.NewBadRequest(`admission webhook "w" does not support dry run`), unknown},
		"too many":             {apierrors.NewTooManyRequests("no", 1), unknown},
		"a webhook that is down": {
			apierrors.NewInternalError(errors.New(`failed calling webhook "w"`)), unknown},
		"a busy webhook":                {status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, `admission webhook "w" denied the request: busy`), unknown},
		"a deadline":                    {context.DeadlineExceeded, unknown},
		"a race":                        {apierrors.NewAlreadyExists(pods, "a"), unknown},
		"an account that is not there":  {apierrors.NewForbidden(pods, "a", errors.New(`error looking up service account n/a: serviceaccount "a" not found`)), dangling},
		"a priority that is not there":  {apierrors.NewForbidden(pods, "a", errors.New("no PriorityClass with name high was found")), dangling},
		"a runtime that is not there":   {apierrors.NewForbidden(pods, "a", errors.New(`pod rejected: RuntimeClass "r" not found`)), dangling},
		"something that is wrapped":     {fmt.Errorf("try: %w", apierrors.NewBadRequest("no")), refusal},
		"the namespace has gone by now": {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "n"), unknown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := classifyError(tc.err); got != tc.want {
				t.Errorf("%v means %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

func TestBlame(t *testing.T) {
	deployment, pod := attempt{kind: "Deployment", name: "handler-a"}, attempt{kind: "Pod", name: "handler-a"}
	kind := schema.GroupKind{Group: "apps", Kind: "Deployment"}
	requests := field.NewPath("spec", "template", "spec", "containers").Index(0).Child("resources", "requests")
	tests := map[string]struct {
		from attempt
		err  error
		want string
	}{
		"a field": {deployment, apierrors.NewInvalid(kind, "handler-a", field.ErrorList{field.Invalid(requests, "1", "must be less")}),
			`spec.resources.requests: Invalid value: Deployment handler-a is refused by the API server: spec.template.spec.containers[0].resources.requests: Invalid value: "1": must be less`},
		"a sentence": {pod, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "handler-a-x", errors.New("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1")),
			`spec.replicas: Forbidden: a pod of handler-a is refused by the API server: pods "handler-a-x" is forbidden: exceeded quota`},
		"a name": {deployment, &target.ForeignError{Kind: "Deployment.apps", Name: "handler-a"}, "metadata.name: Invalid value: Deployment.apps handler-a already exists"},
		"KEDA":   {attempt{kind: "ScaledObject", name: "handler-a"}, facts.Facts{}.Unserved("ScaledObject"), "spec.autoscaling.keda: Invalid value: this cluster does not serve a ScaledObject"},
		"an API": {attempt{kind: "HTTPRoute", name: "handler-a"}, facts.Facts{}.Unserved("HTTPRoute"), "spec.route: Invalid value: this cluster does not serve an HTTPRoute"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := blameRefusal("GatiHandler", tc.from, tc.err, quoting{everything: true})
			if len(got) != 1 || !strings.HasPrefix(got[0].Error(), tc.want) {
				t.Errorf("got %v\nwant %s…", got, tc.want)
			}
		})
	}
}

// What is wrong with a template is said of the Deployment and again of its pod.
func TestTheSameIsSaidOnce(t *testing.T) {
	var tried Tried
	requests := field.NewPath("spec", "containers").Index(0).Child("resources")
	template := field.NewPath("spec", "template", "spec", "containers").Index(0).Child("resources")
	tried.addAttempt("GatiHandler", attempt{kind: "Deployment", name: "a"}, apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "a", field.ErrorList{field.Required(template, "no")}), quoting{})
	tried.addAttempt("GatiHandler", attempt{kind: "Pod", name: "a"}, apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "a", field.ErrorList{field.Required(requests, "no")}), quoting{})
	tried.addAttempt("GatiHandler", attempt{kind: "Service", name: "a"}, apierrors.NewInternalError(errors.New("down")), quoting{})
	if len(tried.Errors) != 1 || len(tried.Warnings) != 1 || !strings.HasPrefix(tried.Audit, "incomplete: Service") {
		t.Errorf("got %v, %v, %q", tried.Errors, tried.Warnings, tried.Audit)
	}
}
