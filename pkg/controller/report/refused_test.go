package report

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

func TestPodsRefused(t *testing.T) {
	tests := map[string]struct {
		kind    appsv1.DeploymentConditionType
		status  corev1.ConditionStatus
		message string
		want    string
	}{
		"a quota": {appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, `pods "a-x7k2p" is forbidden: exceeded quota: q`,
			"the API server refuses pods of Deployment a: forbidden: exceeded quota: q"},
		"no longer":                  {appsv1.DeploymentReplicaFailure, corev1.ConditionFalse, `pods "a-x7k2p" is forbidden`, ""},
		"another condition":          {appsv1.DeploymentProgressing, corev1.ConditionTrue, `pods "a-x7k2p" is forbidden`, ""},
		"an account that is to come": {appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, `pods "a-b" is forbidden: error looking up service account n/default`, ""},
		"a foreign webhook": {appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, `admission webhook "w" denied the request: no`,
			`the API server refuses pods of Deployment a: admission webhook "w" denied the request: no`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
			d.Status.Conditions = []appsv1.DeploymentCondition{{Type: tc.kind, Status: tc.status, Message: tc.message}}
			if got := PodsRefused(d); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	if got := PodsRefused(nil); got != "" {
		t.Errorf("%q of nothing", got)
	}
}

func TestRefusedPodsStall(t *testing.T) {
	var conditions []metav1.Condition
	seen := Seen{Sentence: "0 of 2 pods are ready.", Refused: "no"}
	seen.Progress.Wanted = 2
	if got := Apply(&conditions, seen, time.Unix(0, 0)); got != (Result{v1.PhaseFailed, v1.Failed}) {
		t.Errorf("%+v", got)
	}
	c := meta.FindStatusCondition(conditions, v1.ConditionStalled)
	if c.Status != metav1.ConditionTrue || c.Reason != string(v1.ReasonRefused) || c.Message != "0 of 2 pods are ready. no." {
		t.Errorf("got %v", c)
	}
}
