package certificates_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
)

const (
	// largeHeaders and slowOnes are how many connections send a header of 900 KB, and one
	// byte now and then.
	largeHeaders, slowOnes = 600, 100
	// maxHeld is what a listener may hold for callers whom nobody knows.
	maxHeld = 100 << 20
	// maxResident is what a role may take, whatever is sent: its Deployment has 512 MiB.
	maxResident = 400 << 20
)

// TestEveryListenerIsGuarded attacks each port of both roles as a pod without credentials: with
// large headers, with silence and with bytes now and then, all at once. Memory stays, and
// probes and hooks are answered meanwhile.
func TestEveryListenerIsGuarded(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	profiles := map[string]string{"admission": loopbackAddress(freePort(t)), "controllers": loopbackAddress(freePort(t))}
	controllers := startRole(t, c, freePort(t), "controllers", "gati-controller", "--pprof-bind-address="+profiles["controllers"])
	admission := startRole(t, c, port, "admission", "gati-webhook", "--pprof-bind-address="+profiles["admission"])
	for role, p := range map[string]*process{"controllers": controllers, "admission": admission} {
		p.awaitReady(t, role)
	}
	for _, listener := range []struct {
		name, address string
		of            *process
		secure        bool
	}{
		{"hooks of admission", admission.webhook, admission, true},
		{"health of admission", admission.health, admission, false},
		{"metrics of admission", admission.metrics, admission, true},
		{"profiles of admission", profiles["admission"], admission, false},
		{"health of controllers", controllers.health, controllers, false},
		{"metrics of controllers", controllers.metrics, controllers, true},
		{"profiles of controllers", profiles["controllers"], controllers, false},
	} {
		t.Run(listener.name, func(t *testing.T) {
			before := readResidentMemory(t, listener.of)
			a := startAttack(t, listener.address, listener.secure)
			most := before
			for end := time.Now().Add(soak.Pick("everyListenerIsGuarded", time.Minute, 3*time.Second)); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
				most = max(most, readResidentMemory(t, listener.of))
				if err := listener.of.checkReady(); err != nil {
					t.Fatalf("a probe: %v", err)
				}
				if err := admission.checkServing(); err != nil {
					t.Fatalf("a call of the hooks: %v", err)
				}
			}
			t.Logf("resident memory: %d MiB before, %d MiB at most; %d connections were opened", before>>20, most>>20, a.opened.Load())
			if most-before > maxHeld {
				t.Errorf("resident memory rose by %d MiB, want less than %d", (most-before)>>20, maxHeld>>20)
			}
		})
	}
}

// attack has connections to one port.
type attack struct {
	address string
	secure  bool
	opened  atomic.Int64
}

// startAttack opens all connections, and keeps them open until the test ends.
func startAttack(t *testing.T, address string, secure bool) *attack {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	a := &attack{address: address, secure: secure}
	var all sync.WaitGroup
	t.Cleanup(func() { stop(); all.Wait() })
	header := "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 900<<10)
	for range largeHeaders {
		all.Go(func() { a.sendPieces(ctx, header, len(header), 0) })
	}
	for range slowOnes {
		all.Go(func() { a.sendPieces(ctx, header, 1, time.Second/2) })
	}
	a.openSilent(t, soak.Pick("everyListenerIsGuarded", 15_000, 3_000))
	return a
}

// sendPieces sends a text in pieces on one connection, and then keeps it open.
func (a *attack) sendPieces(ctx context.Context, text string, piece int, pause time.Duration) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", a.address)
	if err != nil {
		return
	}
	a.opened.Add(1)
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	if a.secure {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	}
	for ; len(text) >= piece; text = text[piece:] {
		if _, err := io.WriteString(c, text[:piece]); err != nil {
			break
		}
		time.Sleep(pause)
	}
	<-ctx.Done()
	_ = c.Close()
}

// openSilent opens connections that never say anything.
func (a *attack) openSilent(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		c, err := net.DialTimeout("tcp", a.address, 10*time.Second)
		if err != nil {
			t.Fatalf("silent connection %d: %v", i, err)
		}
		a.opened.Add(1)
		t.Cleanup(func() { _ = c.Close() })
	}
}

// TestForgedReviewsTakeLittle attacks as a pod without credentials: many reviews at once
// whose bytes decode to a hundred times as much. Memory stays, and users' objects are
// admitted meanwhile.
func TestForgedReviewsTakeLittle(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port)
	p.awaitReady(t, "ready")
	many := func(text string, bytes int) string { return text + strings.Repeat(","+text, bytes/(len(text)+1)) }
	admission := func(spec, status string) string {
		object := `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a","namespace":"default"},"spec":{"path":"/a","image":"app:v1"` + spec + `},"status":{` + status + `}}`
		return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","kind":{"group":"gati.dev","version":"v1","kind":"GatiHandler"},"operation":"UPDATE","namespace":"default","object":` + object + `,"oldObject":` + object + `}}`
	}
	conversion := func(objects string) string {
		return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"gati.dev/v1alpha1","objects":[` + objects + `]}}`
	}
	handler := func(spec string) string {
		return `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a"},"spec":{"path":"/a","pod":{"tolerations":[` + spec + `]}}}`
	}
	attacks := []forgery{
		{"/mutate", admission("", `"versions":[`+many(`{}`, 3<<20)+`]`)},
		{"/validate", admission("", `"versions":[`+many(`{}`, 3<<20)+`]`)},
		{"/mutate", admission(`,"pod":{"tolerations":[`+many(`{}`, 3<<20)+`]}`, "")},
		{"/validate", admission(`,"env":[`+many(`{"name":"A"}`, 3<<20)+`]`, "")},
		{"/convert", conversion(handler(many(`{}`, 19<<20)))},
		{"/convert", conversion(many(handler(many(`{}`, 1<<20)), 4<<20))},
	}
	for _, times := range []int{1, 4} {
		t.Run(fmt.Sprint(times*len(attacks), " at once"), func(t *testing.T) {
			most := sendForgeries(t, p, times, attacks, func(i int) error {
				return c.client.Create(t.Context(), &v1.GatiVersion{
					TypeMeta: v1TypeMeta("GatiVersion"), ObjectMeta: objectMeta(fmt.Sprint("meanwhile-", i)), Spec: v1.GatiVersionSpec{Version: "v1.0.0"},
				}, client.DryRunAll)
			})
			t.Logf("resident memory: %d MiB at most", most>>20)
			if most > maxResident {
				t.Errorf("resident memory rose to %d MiB, want at most %d", most>>20, maxResident>>20)
			}
			if err := p.checkReady(); err != nil {
				t.Errorf("after the attack: %v", err)
			}
		})
	}
}

// forgery is a review that nobody but an attacker sends.
type forgery struct{ path, body string }

// sendForgeries sends reviews from two addresses, each of them so many times at once, and returns
// the most memory that is resident meanwhile. Users go on to apply.
func sendForgeries(t *testing.T, p *process, times int, attacks []forgery, apply func(i int) error) (most int64) {
	t.Helper()
	peers := []*overload{newOverload(t, p), newOverload(t, p)}
	for i, o := range peers {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i))}}
		o.client.Transport.(*http.Transport).DialContext = dialer.DialContext
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer stop()
	for i := range times * len(attacks) {
		o, attack := peers[i%len(peers)], attacks[i%len(attacks)]
		all.Go(func() {
			for ctx.Err() == nil {
				if status, _, err := o.postBody(attack.path+"?timeout=5s", attack.body); err == nil {
					o.countAnswer(fmt.Sprint(attack.path, " ", i%len(attacks), ": ", status), "")
				}
			}
		})
	}
	applied, failed := 0, error(nil)
	all.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := apply(i); err != nil {
				failed = err
			} else {
				applied++
			}
			time.Sleep(200 * time.Millisecond)
		}
	})
	for end := time.Now().Add(soak.Pick("forgedReviewsTakeLittle", time.Minute, 5*time.Second)); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		most = max(most, readResidentMemory(t, p))
	}
	stop()
	all.Wait()
	t.Logf("%d applies passed, the last failure: %v", applied, failed)
	if applied == 0 {
		t.Error("no apply passed beside the attack")
	}
	for _, o := range peers {
		t.Log(o.counts)
	}
	return most
}
