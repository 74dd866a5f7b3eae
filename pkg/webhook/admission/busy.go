package admission

import (
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// retryLater has a client try again, as clients made with client-go do by themselves. By
// then a result that took too long is remembered.
func retryLater(why string) admission.Response {
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests,
			Message: why, Details: &metav1.StatusDetails{RetryAfterSeconds: 1},
		},
		AuditAnnotations: map[string]string{"verdict": "busy"},
	}}
}

// unreadMessage returns the message for an object whose surroundings could not be read.
func unreadMessage(err error) string {
	return "what the object refers to could not be read from the API server; try again: " + err.Error()
}
