package local

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// MetricsReader is the account that may read the metrics.
const MetricsReader = "gati-metrics-reader"

// MetricsURL returns the address of the metrics.
func (w *Webhook) MetricsURL() string {
	return fmt.Sprintf("https://127.0.0.1:%d/metrics", w.ports.Metrics)
}

// Metrics returns the metrics of the process, as Prometheus would read them.
func (w *Webhook) Metrics(ctx context.Context) (string, error) {
	admin, err := w.cluster.Admin()
	if err != nil {
		return "", err
	}
	clients, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return "", err
	}
	answer, err := clients.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, MetricsReader, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask for a token of %s/%s: %w", Namespace, MetricsReader, err)
	}
	status, text, err := ReadMetrics(ctx, w.MetricsURL(), answer.Status.Token)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s answers %d: %s", w.MetricsURL(), status, text)
	}
	return text, err
}

// ReadMetrics reads metrics on this machine with a token, or with none.
func ReadMetrics(ctx context.Context, url, token string) (status int, text string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	// The certificate is for the Service, and the address is this machine's.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}
