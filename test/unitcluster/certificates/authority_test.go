package certificates_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gati.dev/gati/pkg/webhook/certs"
	"gati.dev/gati/test/support/await"
)

const anywhere = "https://127.0.0.1:9443"

func TestAuthoritiesFromNothingAgreeOnOneCA(t *testing.T) {
	c := needCluster(t, anywhere)
	var replicas []*replica
	for i := range 3 {
		replicas = append(replicas, newReplica(t, c, fmt.Sprint("replica-", i), &lines{}, func(o *certs.SelfManagedOptions) {
			o.Trusted = true
		}))
	}
	for _, r := range replicas {
		await.Eventually(t, "a certificate", r.hasLeaf)
	}
	ca := c.secretCA()
	if len(ca) != 1 {
		t.Fatalf("the Secret holds %d CAs, want 1", len(ca))
	}
	for i, r := range replicas {
		leaf, err := r.source.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ca.HasSigned(leaf.Leaf) {
			t.Errorf("the CA in the Secret did not sign the certificate of replica %d", i)
		}
		if err := leaf.Leaf.VerifyHostname("127.0.0.1"); err != nil {
			t.Errorf("replica %d: %v", i, err)
		}
	}
}

func TestInjectorFillsAllFiveAndWritesNoMore(t *testing.T) {
	c := needCluster(t, anywhere)
	log := &lines{}
	for i := range 2 {
		r := newReplica(t, c, fmt.Sprint("replica-", i), log, nil)
		t.Cleanup(func() { _ = r })
	}
	await.Eventually(t, "all five hold the CA", func() error { return c.checkPublished(t) })

	before := resourceVersions(t, c)
	time.Sleep(2 * time.Second)
	if after := resourceVersions(t, c); before != after {
		t.Errorf("the objects were written again:\n%s\n%s", before, after)
	}
	if got := log.countText("published the CA"); got != 5 {
		t.Errorf("%d lines tell of a change, want 5", got)
	}
}

func TestInjectorMendsWhatOthersBreak(t *testing.T) {
	c := needCluster(t, anywhere)
	newReplica(t, c, "replica", &lines{}, nil)
	await.Eventually(t, "all five hold the CA", func() error { return c.checkPublished(t) })
	for _, e := range c.readEndpoints(t)[:2] {
		c.patchTarget(t, e.Target, fmt.Sprintf(`[{"op":"remove","path":"%s/caBundle"}]`, e.Pointer))
	}
	await.Eventually(t, "all five hold the CA again", func() error { return c.checkPublished(t) })
}

func TestNoCertificateBeforeItIsPublished(t *testing.T) {
	c := needCluster(t, anywhere)
	source := certs.NewSelfManaged(certs.SelfManagedOptions{
		Client: c.client, Log: testLog(t, "source"),
		Namespace: namespace, Secret: secretName, DNSNames: []string{"x"},
	})
	runInBackground(t, "source", source.Start)
	await.Eventually(t, "a CA", func() error {
		if len(source.Desired(nil)) == 0 {
			return errors.New("none yet")
		}
		return nil
	})
	time.Sleep(time.Second)
	if _, err := source.GetCertificate(nil); !errors.Is(err, certs.ErrNoCertificate) {
		t.Errorf("got %v before the CA was published, want %v", err, certs.ErrNoCertificate)
	}
	source.Published(source.Desired(nil))
	await.Eventually(t, "a certificate", func() error { _, err := source.GetCertificate(nil); return err })
}

func resourceVersions(t *testing.T, c *cluster) string {
	t.Helper()
	states, err := c.newLive().States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, s := range states {
		fmt.Fprintf(&out, "%s=%s ", s.Target, s.ResourceVersion)
	}
	return out.String()
}

// lines collects a log.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *lines) countText(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}
