package local

import (
	"context"
	"fmt"
	"os"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	// Namespace is where Gati runs.
	Namespace = "gati-system"
	// Account is that of the hooks, ControllerAccount that of the controllers.
	Account           = "gati-webhook"
	ControllerAccount = "gati-controller"
)

// tokenSeconds is a day, which is enough to try things out.
const tokenSeconds = 24 * 60 * 60

// WriteAccountKubeconfig writes a kubeconfig with a new token of one of Gati's
// ServiceAccounts.
func (c *Cluster) WriteAccountKubeconfig(ctx context.Context, account, path string) error {
	admin, err := c.Admin()
	if err != nil {
		return err
	}
	clients, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return err
	}
	seconds := int64(tokenSeconds)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := clients.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, account, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("ask for a token of %s/%s: %w", Namespace, account, err)
	}
	text, err := clientcmd.Write(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": {
			Server: admin.Host, CertificateAuthorityData: admin.CAData, InsecureSkipTLSVerify: admin.Insecure,
		}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{account: {Token: answer.Status.Token}},
		Contexts:       map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: account, Namespace: Namespace}},
		CurrentContext: "c",
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// Admin returns the administrator's configuration.
func (c *Cluster) Admin() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig %s: %w", c.Kubeconfig, err)
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, err
	}
	config.QPS = -1
	return config, nil
}
