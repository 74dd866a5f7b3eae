package certificates_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

// "Rotation of CA and leaves under 50 applies/s (at least three rotations): 0
// failed. The certificate Secret deleted or corrupted: healed, with the time it
// took." It does all the harm there is to the Secret, in an order that the seed
// decides, puts an old CA back, and then has CAs and leaves grow old until each was
// replaced by itself three times. It needs the machine to itself; the short form of
// it is TestNoAdmissionIsLostWhileTheCAIsReplaced.
func TestRotation(t *testing.T) {
	if !soak.IsLong("rotation") {
		t.Skip("make soak NAME=rotation runs it")
	}
	t.Run("by harm", func(t *testing.T) { rotateByHarm(t, 50, len(listHarms()), "--leaf-hold=2s") })
	t.Run("by age", rotateByAge)
}

func rotateByHarm(t *testing.T, rate, n int, flags ...string) {
	moments := random.Moments(t)
	r := startRotation(t, rate, flags...)
	backup, first := r.c.readSecret(t).Data, r.c.readUsableCA(t)
	all := listHarms()
	moments.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, h := range all[:n] {
		r.keepsPace()
		time.Sleep(time.Duration(moments.Int63n(int64(time.Second))))
		r.assertHeals(h)
	}
	r.keepsPace()
	r.doAndAwaitCA("the first CA, put back as from a backup", func() { r.c.putData(t, backup) }, first.Equal)
	r.assertNothingFailed(n+1, 0)
}

func rotateByAge(t *testing.T) {
	const rounds = 3
	// Between two CAs an API server on a small machine has to catch up: see keepsPace.
	r := startRotation(t, 50, "--ca-lifetime=6m", "--leaf-lifetime=1m", "--leaf-hold=2s")
	for _, w := range r.witnesses {
		await.Within(t, 15*time.Minute, fmt.Sprint(rounds, " CAs that were replaced, seen at ", w.replica.webhook), func() error {
			if cas, _, _ := w.countRotations(); cas < rounds {
				return fmt.Errorf("%d so far", cas)
			}
			return nil
		})
	}
	r.assertNothingFailed(rounds, rounds)
}

// slow is how long a rotation may take on a machine that has other things to do.
const slow = 2 * time.Minute

// rotation is two replicas under load, and a witness of each.
type rotation struct {
	t         *testing.T
	c         *cluster
	replicas  []*process
	witnesses []*witness
	applies   *paced
}

func startRotation(t *testing.T, rate int, flags ...string) *rotation {
	t.Helper()
	port := freePort(t)
	r := &rotation{t: t, c: needCluster(t, "https://"+loopbackAddress(port))}
	service := newService(t, port)
	for range 2 {
		r.replicas = append(r.replicas, startProcess(t, r.c, freePort(t), flags...))
	}
	for _, p := range r.replicas {
		p.awaitReady(t, "a replica that is ready")
		service.addReplica(p)
	}
	for _, p := range r.replicas {
		r.witnesses = append(r.witnesses, startWitness(t, r.c, p))
	}
	r.applies = startPaced(t, r.c, rate)
	return r
}

// keepsPace waits until the applies of the rotation before are answered. Each CRD
// whose caBundle changes is set up anew by the API server, which costs it a second
// or more on a small machine: harm on the heels of harm would measure how it copes
// with more applies than it can take, not whether a rotation loses any.
func (r *rotation) keepsPace() {
	r.t.Helper()
	await.Within(r.t, slow, "applies that keep pace", func() error {
		if n := r.applies.tally.countWaiting(); n > r.applies.rate/10 {
			return fmt.Errorf("%d of them wait for their answer", n)
		}
		return nil
	})
}

// assertHeals does harm to the CA, and waits until both replicas serve with a new one.
func (r *rotation) assertHeals(h harm) {
	r.t.Helper()
	old := r.c.readUsableCA(r.t)
	r.doAndAwaitCA(h.name, func() { h.do(r.t, r.c) }, func(ca *x509.Certificate) bool { return !ca.Equal(old) })
}

// doAndAwaitCA does something to the Secret, and tells how long it took until it held the
// CA that is wanted, and until both replicas served a certificate of that one.
func (r *rotation) doAndAwaitCA(name string, do func(), wanted func(*x509.Certificate) bool) {
	r.t.Helper()
	began := time.Now()
	do()
	var ca *x509.Certificate
	await.Within(r.t, slow, name+": a CA that is wanted", func() error {
		if ca = r.c.readUsableCA(r.t); ca == nil || !wanted(ca) {
			return errors.New("there is none yet")
		}
		return nil
	})
	whole := time.Since(began)
	for _, w := range r.witnesses {
		await.Within(r.t, slow, name+": served by "+w.replica.webhook, func() error { return w.checkShownBy(ca) })
	}
	r.t.Logf("%-40s the Secret is whole after %5s, both replicas serve the CA after %5s", name,
		whole.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// assertNothingFailed ends the load and holds that nothing failed, that the CA was replaced and
// leaves were renewed at least so many times, as callers saw it, and that the
// applies did go through both replicas.
func (r *rotation) assertNothingFailed(cas, renewals int) {
	r.t.Helper()
	r.applies.stopAndWait()
	r.applies.tally.assertAllAnswered(r.t)
	answered := r.applies.tally.answered
	through := map[string]int{}
	for i, w := range r.witnesses {
		saw, leaves, renewed := w.countRotations()
		r.t.Logf("replica %d: %d new handshakes, %d failed; the CA was replaced %d times, the leaf %d times, %d of them under the same CA",
			i, w.calls, len(w.failed), saw, leaves, renewed)
		if len(w.failed) > 0 {
			r.t.Errorf("replica %d: %d of %d handshakes failed; the first: %v", i, len(w.failed), w.calls, w.failed[0])
		}
		if saw < cas || renewed < renewals || leaves < cas+renewals {
			r.t.Errorf("replica %d: want at least %d CAs replaced and %d leaves renewed", i, cas, renewals)
		}
		mine := map[string]int{
			"validate": w.replica.countCalls(r.t, "validate") - w.calls, "mutate": w.replica.countCalls(r.t, "mutate"), "convert": w.replica.countCalls(r.t, "convert"),
		}
		for hook, calls := range mine {
			through[hook] += calls
			if calls < answered/200 {
				r.t.Errorf("replica %d: %d calls of %s for %d applies prove little of it", i, calls, hook, answered)
			}
		}
	}
	// Of ten one is a handler, which alone the mutating hook is called for; of fifty one is
	// applied through v1alpha1, by some twenty conversions.
	for hook, want := range map[string]int{"validate": answered, "mutate": answered / 11, "convert": answered * 8 / 20} {
		if through[hook] < want {
			r.t.Errorf("%d calls of %s for %d applies, want at least %d: some went past it", through[hook], hook, answered, want)
		}
	}
}
