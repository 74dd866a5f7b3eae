package handler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/gitops"
	"gati.dev/gati/pkg/target/gitops/repository"
	"gati.dev/gati/pkg/target/kubernetes"
)

// remote is a handler whose plan is committed to a repository behind an ssh server, with
// credentials from a Secret.
type remote struct {
	*world
	bare   *gittest.Bare
	server *gittest.SSH
	secret *corev1.Secret
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	bare := gittest.NewBare(t)
	bare.Seed("main", "Begin", map[string]string{"README.md": "plans"})
	server := gittest.ServeSSH(t, bare)
	r := &remote{
		world: newWorld(t, builders.MakeHandler("users").Image("app:v1").Default().Obj()), bare: bare, server: server,
		secret: &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "gati-system", Name: "gati-git"},
			Data:       map[string][]byte{"identity": server.Identity, "known_hosts": server.KnownHosts()},
		},
	}
	r.must(r.live.Create(t.Context(), r.secret))
	repo, err := repository.New(repository.Settings{
		URL: server.CloneURL(), Branch: "main", Clock: r.clock, Author: repository.Author{Name: "Gati", Email: "gati@example.com"},
		Access: gitops.Secrets{Namespace: "gati-system", Repository: "gati-git"}.Access(r.live),
	})
	r.must(err)
	removable := func() []client.ObjectList { return kubernetes.Removable(true, false) }
	r.r.Targets = target.Set{v1.TargetGitOps: gitops.New(r.live, r.live, repo, "plans", removable)}
	r.r.Facts.Targets = facts.Targets{Default: v1.TargetGitOps}
	return r
}

// retried is longer than any pause between two tries.
const retried = 3 * time.Minute

// setKey sets a key of the Secret.
func (r *remote) setKey(key string, value []byte) {
	r.t.Helper()
	r.secret.Data[key] = value
	r.must(r.live.Update(r.t.Context(), r.secret))
}

// checkStalled checks that one condition says what is wrong, and that no other blames
// anything else.
func (r *remote) checkStalled(reason v1.ConditionReason, remedy string) {
	r.t.Helper()
	r.checkCondition(v1.ConditionStalled, metav1.ConditionTrue, string(reason), remedy)
	r.checkCondition(v1.ConditionReady, metav1.ConditionFalse, string(reason), remedy)
	r.checkCondition(v1.ConditionReconciling, metav1.ConditionFalse, string(v1.ReasonSettled), "")
	message := meta.FindStatusCondition(r.handler().Status.Conditions, v1.ConditionStalled).Message
	if !strings.HasPrefix(message, "Git repository "+r.server.CloneURL()+", branch main: ") {
		r.t.Errorf("the message does not begin with the repository: %s", message)
	}
	if strings.Contains(message, string(r.server.Identity)) {
		r.t.Error("the message has the key")
	}
}

// A repository that does not take the plan is one condition of the handler, with what to
// do. Once that is done, the plan is committed without any other change.
func TestARepositoryThatRefusesStallsTheHandler(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      v1.ConditionReason
		remedy      string
		spoil, cure func(*remote)
	}{
		"a wrong branch": {v1.ReasonBranchMissing, "there is no main; there is trunk",
			func(r *remote) { r.bare.Git("branch", "-m", "main", "trunk") },
			func(r *remote) { r.bare.Git("branch", "-m", "trunk", "main") }},
		"a missing Secret": {v1.ReasonSecretMissing, "there is no Secret gati-system/gati-git",
			func(r *remote) { r.must(r.live.Delete(r.t.Context(), r.secret)) },
			func(r *remote) { r.secret.ResourceVersion = ""; r.must(r.live.Create(r.t.Context(), r.secret)) }},
		"an unknown host key": {v1.ReasonHostKeyUnknown, "add it to known_hosts in the Secret",
			func(r *remote) { r.setKey("known_hosts", gittest.ServeSSH(r.t, gittest.NewBare(r.t)).KnownHosts()) },
			func(r *remote) { r.setKey("known_hosts", r.server.KnownHosts()) }},
		"a read-only key": {v1.ReasonRepositoryReadOnly, "give them the right to push",
			func(r *remote) { r.server.ReadOnly = true },
			func(r *remote) { r.server.ReadOnly = false }},
		"a full disk": {v1.ReasonRepositoryFull, "make room",
			func(r *remote) { r.fillDisk() },
			func(r *remote) { r.must(os.Remove(r.hook())) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRemote(t)
			tc.spoil(r)
			for range 4 {
				if _, err := r.reconcile(); err != nil {
					t.Fatal(err)
				}
			}
			r.checkStalled(tc.reason, tc.remedy)
			before := r.handler().ResourceVersion
			r.clock.Step(retried)
			if _, err := r.reconcile(); err != nil {
				t.Fatal(err)
			}
			if after := r.handler().ResourceVersion; after != before {
				t.Errorf("a second try wrote the status again: %+v", r.handler().Status.Conditions)
			}
			tc.cure(r)
			r.clock.Step(retried)
			if _, err := r.reconcile(); err != nil {
				t.Fatal(err)
			}
			r.checkCondition(v1.ConditionReconciling, metav1.ConditionTrue, string(v1.ReasonNotSynced), "the cluster does not have it yet")
			if files := r.bare.Git("ls-tree", "-r", "--name-only", "main"); !strings.Contains(files, "plans/default/handler-users/deployment-handler-users.yaml") {
				t.Errorf("the repository has\n%s", files)
			}
		})
	}
}

func (r *remote) hook() string { return filepath.Join(r.bare.Path, "hooks", "pre-receive") }

// fillDisk has git answer a push as it does on a full disk.
func (r *remote) fillDisk() {
	r.t.Helper()
	r.must(os.WriteFile(r.hook(), []byte("#!/bin/sh\necho 'fatal: sha1 file write error: No space left on device' >&2\nexit 1\n"), 0o755))
}
