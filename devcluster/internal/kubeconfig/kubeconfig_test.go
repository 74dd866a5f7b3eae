package kubeconfig

import "testing"

func TestRender(t *testing.T) {
	const want = `apiVersion: v1
kind: Config
clusters:
- name: devcluster
  cluster:
    certificate-authority-data: Y2E=
    server: https://127.0.0.1:1
users:
- name: devcluster
  user:
    client-certificate-data: Y2VydA==
    client-key-data: a2V5
contexts:
- name: devcluster
  context:
    cluster: devcluster
    user: devcluster
current-context: devcluster
`
	got := Config{Server: "https://127.0.0.1:1", CA: []byte("ca"), Cert: []byte("cert"), KeyPEM: []byte("key")}.Render()
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
}
