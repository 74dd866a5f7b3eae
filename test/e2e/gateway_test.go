package e2e

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// devclusterGateway is the devcluster's, which listens on this machine.
const devclusterGateway = "devcluster/gateway"

// gatewayName is that of the environment, or the devcluster's.
func gatewayName() string { return cmp.Or(os.Getenv("GATI_TEST_GATEWAY"), devclusterGateway) }

// gatewayKey is where the Gateway of the scenarios is.
func gatewayKey() types.NamespacedName {
	namespace, name, _ := strings.Cut(gatewayName(), "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// gatewayURL is where it can be reached.
func (w *world) gatewayURL() string {
	w.t.Helper()
	var g gatewayv1.Gateway
	if err := admin.Get(w.t.Context(), gatewayKey(), &g); err != nil {
		w.t.Fatal(err)
	}
	address := "127.0.0.1"
	if gatewayName() != devclusterGateway {
		if len(g.Status.Addresses) == 0 {
			w.t.Fatalf("the status of the Gateway %s has no address", gatewayName())
		}
		address = g.Status.Addresses[0].Value
	}
	return fmt.Sprintf("http://%s:%d", address, g.Spec.Listeners[0].Port)
}
