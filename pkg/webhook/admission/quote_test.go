package admission

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/target"
)

// refusals are answers of the API server with the word "secret" wherever they repeat what
// the submitted object does not hold, and the verdict that has to remain.
var refusals = map[string]struct {
	err  error
	want string
}{
	"a quota": {forbidden(`exceeded quota: secret, requested: limits.cpu=500m,pods=1, used: limits.cpu=secret, limited: limits.cpu=secret`),
		"spec.resources: Forbidden: a pod of handler-a is refused by the API server: exceeded quota, requested: limits.cpu=500m,pods=1"},
	"a quota on what is missing": {forbidden(`failed quota: secret: must specify limits.memory for: handler`),
		"spec.resources: Forbidden: a pod of handler-a is refused by the API server: failed quota: must specify limits.memory for: handler"},
	"Pod Security": {forbidden(`violates PodSecurity "restricted:latest": seccompProfile (pod must not set type to "Unconfined")`),
		`spec.pod: Forbidden: a pod of handler-a is refused by the API server: violates PodSecurity "restricted:latest": seccompProfile (pod must not set type to "Unconfined")`},
	"a policy": {forbidden(`ValidatingAdmissionPolicy 'secret' with binding 'secret' denied request: metadata.labels[secret] of secret`),
		"spec.pod.labels: Forbidden: a pod of handler-a is refused by the API server: " + ruleOfCluster},
	"a policy that speaks as Pod Security does": {forbidden(`ValidatingAdmissionPolicy 'a' denied request: violates PodSecurity "restricted:latest": secret`),
		"spec.pod: Forbidden: a pod of handler-a is refused by the API server: " + ruleOfCluster},
	"a webhook": {status(403, metav1.StatusReasonForbidden, `admission webhook "secret" denied the request: secret`),
		"spec.pod: Forbidden: a pod of handler-a is refused by the API server: " + ruleOfCluster},
	"a webhook that names a field": {denialOfField("spec.secret"),
		"spec.pod: Invalid value: a pod of handler-a is refused by the API server: " + ruleOfCluster},
	"a limit": {forbidden(`maximum cpu usage per Container is secret, but limit is 500m`),
		"spec.resources: Forbidden: a pod of handler-a is refused by the API server: " + ruleOfCluster},
	"a value of the object": {invalid(field.Invalid(image, "app:v1.0.0", "must be another")),
		`spec.image: Invalid value: a pod of handler-a is refused by the API server: spec.containers[0].image: Invalid value: "app:v1.0.0": must be another`},
	"a value of another": {invalid(field.Invalid(image, "secret", "must be another")),
		"spec.image: Invalid value: a pod of handler-a is refused by the API server: spec.containers[0].image: Invalid value: must be another"},
	"a value of many": {invalid(field.Invalid(image, map[string]string{"a: b": "secret"}, "must be another")),
		"spec.image: Invalid value: a pod of handler-a is refused by the API server: spec.containers[0].image: Invalid value: must be another"},
	"one of a few": {invalid(field.NotSupported(image, "secret", []string{"x"})),
		`spec.image: Invalid value: a pod of handler-a is refused by the API server: spec.containers[0].image: Unsupported value: supported values: "x"`},
	"one that is there": {invalid(field.Duplicate(image, "secret")),
		"spec.image: Invalid value: a pod of handler-a is refused by the API server: spec.containers[0].image: Duplicate value"},
	"a field that is missing": {invalid(field.Required(image, "")),
		"spec.image: Invalid value: a pod of handler-a is refused by the API server: spec.containers[0].image: Required value"},
	"a name": {&target.ForeignError{Kind: "Service", Name: "handler-a", Owner: "Widget secret"},
		"metadata.name: Invalid value: Service handler-a already exists and was not created by this object; delete or rename it"},
}

var image = field.NewPath("spec", "containers").Index(0).Child("image")

func forbidden(why string) error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "handler-a-x", errors.New(why))
}

func invalid(e *field.Error) error {
	return apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "handler-a-x", field.ErrorList{e})
}

func denialOfField(path string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: 422, Reason: metav1.StatusReasonInvalid, Message: `admission webhook "secret" denied the request: secret`,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: path, Message: "secret"}}},
	}}
}

// TestOnlyTheSubmittedIsRepeated holds that an answer that anyone may have asked for has
// the verdict, and no word that was read from the cluster.
func TestOnlyTheSubmittedIsRepeated(t *testing.T) {
	h := builders.MakeHandler("a").Image("app:v1.0.0").Obj()
	for name, tc := range refusals {
		t.Run(name, func(t *testing.T) {
			if classifyError(tc.err) != refusal {
				t.Fatalf("%v is no refusal", tc.err)
			}
			got := blameRefusal("GatiHandler", attempt{kind: "Pod", name: "handler-a"}, tc.err, newQuoting(false, h))
			if len(got) != 1 || got[0].Error() != tc.want {
				t.Errorf("got %v\nwant %s", got, tc.want)
			}
			if strings.Contains(got.ToAggregate().Error(), "secret") {
				t.Errorf("repeats what was read: %v", got)
			}
		})
	}
}

// The API server itself, which shows a certificate, may repeat everything.
func TestEverythingIsRepeatedToTheAPIServer(t *testing.T) {
	for name, tc := range refusals {
		got := blameRefusal("GatiHandler", attempt{kind: "Pod", name: "handler-a"}, tc.err, newQuoting(true, nil))
		if had, has := strings.Contains(tc.err.Error(), "secret"), strings.Contains(got.ToAggregate().Error(), "secret"); had != has {
			t.Errorf("%s: of %v it repeats %v", name, tc.err, got)
		}
	}
}

// What is not found out, and what is missing, is not quoted either.
func TestWarningsRepeatNothing(t *testing.T) {
	for _, err := range []error{
		apierrors.NewConflict(schema.GroupResource{Resource: "deployments"}, "a", errors.New(`conflict with "secret"`)),
		forbidden(`error looking up service account n/secret: serviceaccount "secret" not found`),
		errors.New("secret"),
	} {
		for _, everything := range []bool{false, true} {
			var tried Tried
			tried.addAttempt("GatiHandler", attempt{kind: "Pod", name: "a"}, err, quoting{everything: everything})
			if got := strings.Join(append(tried.Warnings, tried.Audit), " "); len(tried.Warnings) != 1 || strings.Contains(got, "secret") != everything {
				t.Errorf("%v: with everything %v it warns %q", err, everything, got)
			}
		}
	}
}

// TestALateAnswerIsCalledLate holds that a warning tells an API server that took too long
// from one that answered, whoever asks.
func TestALateAnswerIsCalledLate(t *testing.T) {
	const want = "Pod was not tried: the API server did not answer in time; try again"
	for name, err := range map[string]error{
		"the deadline of the call": fmt.Errorf("create secret: %w", context.DeadlineExceeded),
		"the server's own":         apierrors.NewTimeoutError("secret", 0),
		"another's":                apierrors.NewServerTimeout(schema.GroupResource{Resource: "secrets"}, "create", 1),
	} {
		var tried Tried
		tried.addAttempt("GatiHandler", attempt{kind: "Pod", name: "a"}, err, quoting{})
		if !slices.Equal(tried.Warnings, []string{want}) {
			t.Errorf("%s: it warns %q, want %q", name, tried.Warnings, want)
		}
	}
}
