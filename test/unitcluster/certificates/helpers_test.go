package certificates_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/ports"
	"gati.dev/gati/pkg/webhook/certs"
)

const (
	namespace  = "gati-system"
	secretName = "gati-webhook-ca"
)

var targets = certs.Targets("gati-webhook",
	"gatihandlers.gati.dev", "gatimodules.gati.dev", "gativersions.gati.dev")

// removeCA removes the CA from everywhere.
func (c *cluster) removeCA(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secretName}}
	if err := client.IgnoreNotFound(c.client.Delete(ctx, secret)); err != nil {
		t.Fatal(err)
	}
	for _, e := range c.readEndpoints(t) {
		if len(e.CABundle) > 0 {
			c.patchTarget(t, e.Target, fmt.Sprintf(`[{"op":"remove","path":"%s/caBundle"}]`, e.Pointer))
		}
	}
}

func (c *cluster) newLive() *certs.Live { return certs.NewLive(c.client, targets) }

func (c *cluster) readEndpoints(t *testing.T) []certs.Endpoint {
	t.Helper()
	endpoints, err := c.newLive().Endpoints(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(endpoints) != 6 {
		t.Fatalf("there are %d clientConfigs, want those of three hooks and three CRDs", len(endpoints))
	}
	return endpoints
}

func (c *cluster) patchTarget(t *testing.T, target certs.Target, patch string) {
	t.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(target.GroupVersionKind)
	object.SetName(target.Name)
	if err := c.client.Patch(context.Background(), object, client.RawPatch(types.JSONPatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// secretCA is the CA that the Secret holds, nil if there is none.
func (c *cluster) secretCA() certs.Bundle {
	var secret corev1.Secret
	if c.client.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: secretName}, &secret) != nil {
		return nil
	}
	bundle, _ := certs.ParseBundle(secret.Data[corev1.TLSCertKey])
	return bundle
}

// checkPublished fails unless all five clientConfigs hold exactly the CA of the
// Secret.
func (c *cluster) checkPublished(t *testing.T) error {
	want := c.secretCA().PEM()
	if len(want) == 0 {
		return fmt.Errorf("the Secret holds no CA")
	}
	for _, e := range c.readEndpoints(t) {
		if !bytes.Equal(e.CABundle, want) {
			return fmt.Errorf("%s does not hold the CA of the Secret", e.Target)
		}
	}
	return nil
}

// runInBackground runs until the end of the test and fails it with an error.
func runInBackground(t *testing.T, name string, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := run(ctx); err != nil && ctx.Err() == nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := ports.Take()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func loopbackAddress(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// testLogger writes to the test what a user would see, and to another writer.
func testLogger(t *testing.T, name string, also io.Writer) logr.Logger {
	return funcr.New(func(prefix, args string) {
		_, _ = fmt.Fprintln(also, args)
		t.Log(prefix, args)
	}, funcr.Options{}).WithName(name)
}
