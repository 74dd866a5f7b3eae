package fleet

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/await"
)

var (
	clients  = flag.String("clients", "2", "numbers of clients that create handlers side by side while admission is measured, separated by commas")
	requests = flag.Int("requests", 10, "how many handlers they create, at least two of each client")
)

// measureAdmission measures what the hooks add to the creation of a handler. The controllers
// rest meanwhile: another holds their Lease. It comes last, for it ends without the hooks.
func measureAdmission(t *testing.T, ns string) (out []Admission) {
	t.Helper()
	env.Namespace(t, ns)
	restControllers(t)
	b := newBench(t, gatiSubject(func() int { return 0 }, ns), ns)
	for _, text := range strings.Split(*clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("-clients %s: want numbers from 1 on", *clients)
		}
		out = append(out, Admission{Clients: n, Requests: max(*requests, 2*n)})
	}
	for i := range out {
		out[i].With = b.createLatency(out[i].Clients, out[i].Requests)
	}
	env.Must(t, "", "delete", "mutatingwebhookconfigurations,validatingwebhookconfigurations", "-l", "app.kubernetes.io/part-of=gati")
	for i := range out {
		out[i].Without = b.createLatency(out[i].Clients, out[i].Requests)
	}
	return out
}

// createLatency has clients create handlers, and removes them.
func (b *bench) createLatency(clients, requests int) Latency {
	b.t.Helper()
	objects, err := b.s.make("NAME")
	if err != nil {
		b.t.Fatal(err)
	}
	took := make([]time.Duration, requests)
	b.eachOf(clients, 0, requests, func(ctx context.Context, i int) error {
		o := objects[0].DeepCopy()
		o.SetName(nameFor(i))
		began := time.Now()
		err := b.createObject(ctx, o)
		took[i] = time.Since(began)
		return err
	})
	if err := b.client.Resource(handlers).Namespace(b.ns).DeleteCollection(b.t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		b.t.Fatal(err)
	}
	b.eventually("end of the handlers", func() error {
		left, err := b.client.Resource(handlers).Namespace(b.ns).List(b.t.Context(), metav1.ListOptions{Limit: 1})
		if err == nil && len(left.Items) > 0 {
			err = fmt.Errorf("%s is left", left.Items[0].GetName())
		}
		return err
	})
	return latencyOf(took)
}

// restControllers restarts gati-webhook while another holds the Lease of the controllers.
func restControllers(t *testing.T) {
	t.Helper()
	c, err := kubernetes.NewForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.Webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	leases := c.CoordinationV1().Leases(local.Namespace)
	lease, err := leases.Get(t.Context(), "gati-webhook", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	holder, seconds, now := "bench", int32(time.Hour/time.Second), metav1.NowMicro()
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime = &holder, &seconds, &now
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // The next controllers need not wait for the hour to pass.
		ctx, cancel := context.WithTimeout(context.Background(), await.Patience)
		defer cancel()
		if err := errors.Join(env.Webhook.Stop(), leases.Delete(ctx, lease.Name, metav1.DeleteOptions{})); err != nil {
			t.Error(err)
		}
	})
	if err := env.Webhook.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}
