package certificates_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/webhook/certs"
	"gati.dev/gati/test/support/await"
)

// Two replicas replace their CA under a load of writes that the validating
// webhook has to admit; its failurePolicy is Fail.
func TestNoAdmissionIsLostWhileTheCAIsReplaced(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	log := &lines{}
	a := newReplica(t, c, "replica-a", log, nil)
	b := newReplica(t, c, "replica-b", log, nil)
	await.Eventually(t, "certificates", func() error { return errors.Join(a.hasLeaf(), b.hasLeaf()) })
	balanceConnections(t, port, serveAdmission(t, a.source), serveAdmission(t, b.source))
	await.Eventually(t, "the first admission", func() error { return c.tryAdmission(t.Context(), 0) })

	load := startLoad(t, c)
	for round := range 2 {
		old := c.secretCA()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secretName}}
		if err := c.client.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		await.Eventually(t, fmt.Sprint("both serve the new CA, round ", round), func() error {
			ca := c.secretCA()
			if len(ca) == 0 || ca[0].Equal(old[0]) {
				return errors.New("the CA is the old one")
			}
			return errors.Join(a.servesCAOf(ca), b.servesCAOf(ca))
		})
		time.Sleep(time.Second)
	}
	calls, failed := load.stopAndCount()
	t.Logf("%d admissions, %d failed, over two replacements of the CA", calls, len(failed))
	if len(failed) > 0 {
		t.Errorf("%d of %d admissions failed; the first: %v", len(failed), calls, failed[0])
	}
	if calls < 100 {
		t.Errorf("only %d calls: the load proves little", calls)
	}
}

// servesCAOf fails unless the replica serves a leaf of this CA.
func (r *replica) servesCAOf(ca certs.Bundle) error {
	leaf, err := r.source.GetCertificate(nil)
	if err != nil {
		return err
	}
	if !ca.HasSigned(leaf.Leaf) {
		return errors.New("a replica serves a certificate of the old CA")
	}
	return nil
}

// tryAdmission has the API server call the validating webhook.
func (c *cluster) tryAdmission(ctx context.Context, i int) error {
	version := &v1.GatiVersion{
		TypeMeta:   metav1.TypeMeta{APIVersion: "gati.dev/v1", Kind: "GatiVersion"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("load-", i)},
	}
	version.Spec.Version = "v1.0.0"
	return c.client.Create(ctx, version, client.DryRunAll)
}

type load struct {
	cancel func()
	wait   sync.WaitGroup
	mu     sync.Mutex
	calls  int
	failed []error
}

// startLoad admits about a hundred objects a second, for a minute at most.
func startLoad(t *testing.T, c *cluster) *load {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	l := &load{cancel: cancel}
	for worker := range 2 {
		l.wait.Go(func() {
			for i := worker; ctx.Err() == nil; i += 2 {
				err := c.tryAdmission(context.WithoutCancel(ctx), i)
				l.mu.Lock()
				l.calls++
				if err != nil {
					l.failed = append(l.failed, fmt.Errorf("%s: %w", time.Now().Format(time.TimeOnly), err))
				}
				l.mu.Unlock()
				time.Sleep(15 * time.Millisecond)
			}
		})
	}
	t.Cleanup(cancel)
	return l
}

func (l *load) stopAndCount() (int, []error) {
	l.cancel()
	l.wait.Wait()
	return l.calls, l.failed
}
