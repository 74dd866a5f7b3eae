package rollout_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"

	"gati.dev/gati/test/support/kube"
)

const (
	// may has every verb, mayNot may edit handlers and records and has none.
	may    = "may"
	mayNot = "may-not"
)

// staged is a namespace with some handlers, each of them in the same scene.
type staged struct {
	*world
	scene scene
}

// stageHandlers brings n handlers to a scene, all of them at once.
func stageHandlers(w *world, s scene, n int) *staged {
	w.t.Helper()
	out := &staged{w, s}
	out.grantRights()
	for _, d := range s.versions {
		for i := range n {
			h := s.of(w, d.version).Obj()
			h.Name, h.Spec.Path = handlerName(i), "/"+handlerName(i)
			w.applyHandler(h)
		}
		for i := range n {
			out.awaitEffect(handlerName(i), d.at)
		}
	}
	return out
}

func handlerName(i int) string { return fmt.Sprintf("users%d", i) }

// assertAnswers has a user ask who may not, and then a user who may.
func (s *staged) assertAnswers(i int, a answer) {
	s.t.Helper()
	name, what := handlerName(i), strings.TrimSpace(a.ask+" "+a.before)
	verb, _, _ := strings.Cut(a.ask, ":")
	if _, err := s.sendRequest(mayNot, name, a.ask); err == nil || !strings.Contains(err.Error(), "may-not may not "+verb+" handler "+name+"; this needs the verb "+verb+" on gatihandlers.gati.dev") {
		s.t.Errorf("%s: one who may not is told %v", what, err)
	}
	if a.before != "" {
		s.requestAndAwait(name, a.before)
	}
	if a.byPolicy {
		if _, err := s.sendRequest(may, name, a.ask); err == nil || !strings.Contains(err.Error(), a.says+name) {
			s.t.Errorf("%s: the policy says %v, want %q", what, err, a.says+name)
		}
	} else if got := s.requestAndAwait(name, a.ask); got.Outcome != a.says || got.Refused != a.refused {
		s.t.Errorf("%s: the controller says %q (refused: %v), want %q", what, got.Outcome, got.Refused, a.says)
	}
	then := a.then
	if then == "" {
		then = s.scene.at
	}
	s.awaitEffect(name, then)
}

// requestAndAwait makes a request as one who may, and returns what the controller has made
// of it.
func (s *staged) requestAndAwait(name, ask string) v1.HandledRequest {
	s.t.Helper()
	id, err := s.sendRequest(may, name, ask)
	if err != nil {
		s.t.Fatalf("%s: %v", ask, err)
	}
	var out v1.HandledRequest
	s.eventually("an answer to "+ask, func() error {
		ro := s.readHandler(name).Status.Rollout
		at := slices.IndexFunc(ro.Requests, func(r v1.HandledRequest) bool { return r.ID == id })
		if at < 0 {
			return errors.New("not yet")
		}
		out = ro.Requests[at]
		return nil
	})
	return out
}

// sendRequest makes a request in a user's own name.
func (s *staged) sendRequest(who, name, ask string) (id string, err error) {
	s.t.Helper()
	id = string(uuid.NewUUID())
	live := s.readHandler(name)
	before := live.DeepCopy()
	metav1.SetMetaDataAnnotation(&live.ObjectMeta, v1.AnnotationRequest, ask+"/"+id)
	metav1.SetMetaDataAnnotation(&live.ObjectMeta, v1.AnnotationRequestedBy, who)
	return id, clientOf(s.t, who).Patch(s.t.Context(), live, client.MergeFrom(before))
}

// awaitEffect waits until a handler is in a state: see describeEffect.
func (s *staged) awaitEffect(name, want string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%s at %q", name, want), func() error {
		if got := describeEffect(s.readHandler(name)); got != want {
			return errors.New(got)
		}
		return nil
	}, func() string { return describeHandler(s.readHandler(name)) })
}

// describeEffect describes in one line the fields that requests may change.
func describeEffect(h *v1.GatiHandler) string {
	ro := h.Status.Rollout
	if ro == nil {
		return "nothing yet"
	}
	out := []string{decidedWeights(h) + " " + string(ro.Phase)}
	if ro.Frozen != nil {
		out = append(out, "frozen")
	}
	if ro.Pinned != nil {
		out = append(out, "pinned "+ro.Pinned.Version)
	}
	for _, r := range ro.Rejected {
		out = append(out, "rejected "+r.Version)
	}
	var restarted []string
	for _, v := range h.Status.Versions {
		if v.RestartedAt != nil {
			restarted = append(restarted, v.Version)
		}
	}
	if len(restarted) > 0 {
		out = append(out, "restarted "+strings.Join(restarted, " "))
	}
	return strings.Join(out, ", ")
}

// grantRights gives the two users their rights.
func (w *world) grantRights() {
	w.t.Helper()
	edit := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: mayNot}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{v1.Group}, Resources: []string{"gatihandlers", "gativersions"}, Verbs: []string{"get", "list", "create", "update", "patch"},
	}}}
	if err := admin.Create(w.t.Context(), edit); err != nil {
		w.t.Fatal(err)
	}
	for user, role := range map[string]rbacv1.RoleRef{
		may:    {APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "gati-admin"},
		mayNot: {APIGroup: rbacv1.GroupName, Kind: "Role", Name: mayNot},
	} {
		binding := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: user}, RoleRef: role,
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		}
		if err := admin.Create(w.t.Context(), binding); err != nil {
			w.t.Fatal(err)
		}
	}
}

// clientOf returns the client of another user, by impersonation.
func clientOf(t *testing.T, user string) client.Client {
	t.Helper()
	config, err := cluster.Admin()
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	config.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := client.New(config, client.Options{Scheme: kube.Scheme(), Mapper: admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
