package security

import (
	"net/http"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/internal/local"
)

// TestMetricsAreNotForTenants attacks as a pod without credentials, with a token that is
// none, and with that of an account which may do all in its namespace. Prometheus' account
// reads the metrics, and nothing else that is behind them.
func TestMetricsAreNotForTenants(t *testing.T) {
	ns := "metrics"
	env.Namespace(t, ns)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "admin"}}
	if err := admin.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "admin"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ns, Name: "admin"}},
	}
	if err := admin.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	reader := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: local.Namespace, Name: local.MetricsReader}}
	for _, tc := range []struct {
		who, token, path string
		want             int
	}{
		{"no token", "", "", http.StatusUnauthorized},
		{"a token that is none", "x", "", http.StatusUnauthorized},
		{"an administrator of a namespace", tokenOf(t, account), "", http.StatusForbidden},
		{"Prometheus", tokenOf(t, reader), "", http.StatusOK},
		{"Prometheus, for another path", tokenOf(t, reader), "/more", http.StatusNotFound},
	} {
		status, text, err := local.ReadMetrics(t.Context(), env.Webhook.MetricsURL()+tc.path, tc.token)
		if err != nil {
			t.Fatal(err)
		}
		logAttempt(t, "read metrics with %s", tc.who)
		if told := strings.Contains(text, "gati_webhook_build_info"); status != tc.want || told != (tc.want == http.StatusOK) {
			t.Errorf("%s: status %d, want %d; metrics are told: %v", tc.who, status, tc.want, told)
		}
		logDefence(t, "status %d", status)
	}
	plain, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(env.Webhook.MetricsURL(), "https", "http", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	logAttempt(t, "read metrics without TLS")
	if answer, err := http.DefaultClient.Do(plain); err == nil {
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			t.Error("metrics are served without TLS")
		}
		logDefence(t, "%s", answer.Status)
	}
}

func tokenOf(t *testing.T, account *corev1.ServiceAccount) string {
	t.Helper()
	token := &authenticationv1.TokenRequest{}
	if err := admin.SubResource("token").Create(t.Context(), account, token); err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}
