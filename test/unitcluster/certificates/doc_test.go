// Package certificates_test proves against a real API server what a unit test cannot:
// that replicas agree on one CA, that the API server trusts it, that readiness is
// true, and that no call is lost when the CA is replaced, a replica ends or one is
// overloaded.
//
// KUBEBUILDER_ASSETS names the folder of etcd and kube-apiserver, GATI_BIN that
// of gati-webhook; without the latter it is built.
package certificates_test
