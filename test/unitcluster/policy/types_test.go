package policy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/apiserver"
	"gati.dev/gati/test/support/await"
)

// TestThePoliciesFitTheKinds has the cluster's own controller check the types in
// the policies, which it tells in their status: a field that the kinds do not have
// would be found in no other way.
func TestThePoliciesFitTheKinds(t *testing.T) {
	log := startTypeChecker(t)
	checked := func() error {
		var list admissionregistrationv1.ValidatingAdmissionPolicyList
		if err := admin.List(t.Context(), &list, client.MatchingLabels{"app.kubernetes.io/part-of": "gati"}); err != nil {
			return err
		}
		if len(list.Items) == 0 {
			return errors.New("there is no policy")
		}
		for i := range list.Items {
			p := &list.Items[i]
			if p.Status.ObservedGeneration != p.Generation || p.Status.TypeChecking == nil {
				return fmt.Errorf("%s is not checked yet", p.Name)
			}
			for _, w := range p.Status.TypeChecking.ExpressionWarnings {
				t.Errorf("%s: %s: %s", p.Name, w.FieldRef, w.Warning)
			}
		}
		return nil
	}
	await.Eventually(t, "policies that were checked", checked, log)
}

// startTypeChecker runs the one controller of kube-controller-manager that checks
// policies, and returns how to read its log.
func startTypeChecker(t *testing.T) func() string {
	t.Helper()
	binary := filepath.Join(os.Getenv(apiserver.AssetsVariable), "kube-controller-manager")
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("the types in policies are checked by kube-controller-manager, which \"make assets\" builds beside kube-apiserver: %v", err)
	}
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	writeKubeconfig(t, kubeconfig)
	var log bytes.Buffer
	manager := exec.Command(binary, "--kubeconfig="+kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--controllers=validatingadmissionpolicy-status-controller", "--use-service-account-credentials=false")
	manager.Stdout, manager.Stderr = &log, &log
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() string {
		if manager.ProcessState == nil {
			_ = manager.Process.Kill()
			_ = manager.Wait()
		}
		lines := strings.Split(log.String(), "\n")
		return strings.Join(lines[max(0, len(lines)-20):], "\n")
	}
	t.Cleanup(func() { end() })
	return end
}

// writeKubeconfig writes how to reach the API server as its administrator.
func writeKubeconfig(t *testing.T, path string) {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["c"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	c.AuthInfos["u"] = &clientcmdapi.AuthInfo{ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}
	c.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	c.CurrentContext = "x"
	if len(config.CertData) == 0 || len(config.KeyData) == 0 {
		t.Fatal(errors.New("the API server's administrator has no client certificate"))
	}
	if err := clientcmd.WriteToFile(*c, path); err != nil {
		t.Fatal(err)
	}
}
