package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
)

func TestRestartOfGatiWebhookUnderApplies(t *testing.T) {
	given, when, then := scenario(t)

	given.steadyApplies()
	when.gatiIsRestarted()
	then.gatiIsUp()
	then.noApplyHasFailed()
}

func TestRotationOfTheCAUnderApplies(t *testing.T) {
	given, when, then := scenario(t)

	given.steadyApplies()
	when.theCAIsReplaced()
	then.everyReplicaServesTheNewCA()
	then.noApplyHasFailed()
}

func TestKillOfTheLeaderUnderApplies(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2))
	given.steadyTraffic(20)
	given.steadyApplies()
	killed := when.theLeaderIsKilled()
	when.aReplicaOfTheHooksIsKilled()
	then.anotherReplicaLeads()
	then.appliesHaveFailedOnlyWithin(10*time.Second, killed)
	then.gatiIsUp()
	then.itsPodsAreTheSame()
	when.applyChanges(setImage("v1.1.0"))
	then.allPodsRun("v1.1.0")
	then.noRequestHasFailed(500)
}

// gatiIsRestarted restarts it as a user does after a change of the configuration.
func (w when) gatiIsRestarted() {
	w.t.Helper()
	w.runKubectl("", append([]string{"-n", system, "rollout", "restart"}, deployments...)...)
	for _, d := range deployments {
		w.runKubectl("", "-n", system, "rollout", "status", d, "--timeout=3m")
	}
	w.logStep("when hooks and controllers were restarted, one replica after the other")
}

const caSecret = "gati-webhook-ca"

// theCAIsReplaced does it the way that operators are told to.
func (w when) theCAIsReplaced() {
	w.t.Helper()
	old := w.readCA()
	w.runKubectl("", "-n", system, "delete", "secret", caSecret)
	w.eventually("new CA", func() error {
		if now := w.readCA(); len(now) == 0 || bytes.Equal(now, old) {
			return errors.New("there is none")
		}
		return nil
	})
	w.logStep("when the CA is replaced")
}

// readCA returns the CA's certificate, or nothing when there is no Secret.
func (w *world) readCA() []byte {
	w.t.Helper()
	var s corev1.Secret
	err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: system, Name: caSecret}, &s)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return s.Data[corev1.TLSCertKey]
}

// everyReplicaServesTheNewCA asks each pod for its certificate. A pod that goes
// is no replica any more.
func (n then) everyReplicaServesTheNewCA() {
	n.t.Helper()
	n.gatiIsUp()
	pods, err := webhookPods(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
	for _, p := range pods {
		n.eventually("certificate of the new CA from "+p.Name, func() error { return servesCA(n.t.Context(), p.Status.PodIP, n.readCA()) })
	}
	n.logStep("then each of the %d replicas serves a certificate of the new CA", len(pods))
}

// servesCA fails unless the certificate at an address is of a CA, the newest of a
// bundle.
func servesCA(ctx context.Context, ip string, bundle []byte) error {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		return errors.New("the CA is not readable")
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: local.Account + "." + system + ".svc", MinVersion: tls.VersionTLS12}}
	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(ip, "9443"))
	if err != nil {
		return err
	}
	return connection.Close()
}

// theLeaderIsKilled ends the leader's process as the kernel would when memory is
// short, and returns when.
func (w when) theLeaderIsKilled() time.Time {
	w.t.Helper()
	holder := w.awaitLeader()
	name, _, _ := strings.Cut(holder, "_")
	var p corev1.Pod
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: system, Name: name}, &p); err != nil {
		w.t.Fatal(err)
	}
	at := time.Now()
	pid := w.killProcess(&p)
	w.holder = holder
	w.logStep("when the leader %s, process %d, is killed with SIGKILL", name, pid)
	return at
}

// aReplicaOfTheHooksIsKilled ends one of the processes that answer the API server.
func (w when) aReplicaOfTheHooksIsKilled() {
	w.t.Helper()
	pods, err := webhookPods(w.t.Context())
	if err != nil || len(pods) == 0 {
		w.t.Fatalf("%d pods of the hooks: %v", len(pods), err)
	}
	pid := w.killProcess(&pods[0])
	w.logStep("when %s, process %d, is killed with SIGKILL", pods[0].Name, pid)
}

// killProcess kills the process of one of Gati's pods, and returns its number.
func (w when) killProcess(p *corev1.Pod) int {
	w.t.Helper()
	pid, err := processOf(p, local.Account)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		w.t.Fatal(err)
	}
	return pid
}

// awaitLeader is who holds the Lease: a pod and a number of its own.
func (w *world) awaitLeader() string {
	w.t.Helper()
	var lease coordinationv1.Lease
	w.eventually("leader", func() error {
		err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: system, Name: local.Account}, &lease)
		if err == nil && (lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "") {
			err = errors.New("no replica leads")
		}
		return err
	})
	return *lease.Spec.HolderIdentity
}

func (n then) anotherReplicaLeads() {
	n.t.Helper()
	n.eventually("another leader", func() error {
		if now := n.awaitLeader(); now == n.holder {
			return fmt.Errorf("%s still leads", now)
		}
		return nil
	})
	n.logStep("then %s leads", n.awaitLeader())
}

// processOf finds a program of a pod among the processes of this machine, where
// the pods of the devcluster's node are.
func processOf(p *corev1.Pod, program string) (int, error) {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, dir := range entries {
		groups, err := os.ReadFile(filepath.Join(dir, "cgroup"))
		if err != nil || !bytes.Contains(groups, []byte("pod"+string(p.UID))) {
			continue
		}
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err == nil && strings.TrimSpace(string(name)) == program {
			return strconv.Atoi(filepath.Base(dir))
		}
	}
	return 0, fmt.Errorf("no process %s of pod %s among %d: is the node on this machine?", program, p.Name, len(entries))
}
