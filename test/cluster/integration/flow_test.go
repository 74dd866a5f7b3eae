package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/kube"
)

// turns is how many dry runs gati-webhook has the children tried of at once.
const turns = 8

// A dry run holds its seat at the API server while gati-webhook asks the same API
// server about each child. Where many of them hold all the seats of their level,
// these calls have seats of their own (manifests/flowcontrol), so that no dry run
// waits for itself. It has gati-webhook to itself: dry runs of other tests would
// take turns away.
func TestDryRunsOfManyDoNotStarveWhatTheyAsk(t *testing.T) {
	const many = 3 * turns
	ns := makeNamespace(t)
	level := narrowPriorityLevel(t, ns)
	ci := editorIn(t, ns, "ci")
	before := countDispatched(t, local.Account)

	var group sync.WaitGroup
	refused := make(chan error, many)
	for i := range many {
		group.Go(func() {
			h := builders.MakeHandler(fmt.Sprintf("h-%d", i)).Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj()
			refused <- ci.client.Create(t.Context(), h, client.DryRunAll)
		})
	}
	group.Wait()
	close(refused)
	for err := range refused {
		if err != nil {
			t.Error(err)
		}
	}
	for uid, n := range ci.readCounts() {
		if uid != string(level.UID) {
			t.Errorf("%d requests were of the level %s, want all of %s", n, uid, level.UID)
		}
	}
	checkTurns(t, ns, many)
	if now := countDispatched(t, local.Account); now <= before {
		t.Errorf("%d requests were of the level of gati-webhook, and %d before", now, before)
	}
}

// narrowPriorityLevel makes a level of priority with the fewest seats that there can be, for the
// service accounts of a namespace: so workload-low is in a cluster that is busy.
func narrowPriorityLevel(t *testing.T, ns string) *flowcontrolv1.PriorityLevelConfiguration {
	t.Helper()
	level := &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(1)), BorrowingLimitPercent: new(int32(0)),
				LimitResponse: flowcontrolv1.LimitResponse{
					Type:    flowcontrolv1.LimitResponseTypeQueue,
					Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 1, HandSize: 1, QueueLengthLimit: 1000},
				},
			},
		},
	}
	createObject(t, level)
	// gati-webhook's account would be of this level too, if none were its own.
	both := []string{"system:serviceaccounts:" + ns, "system:serviceaccounts:" + local.Namespace}
	flow := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: ns}, Spec: flowcontrolv1.FlowSchemaSpec{
		PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: ns},
		MatchingPrecedence:         8999, // the one of all service accounts comes next
	}}
	for _, name := range both {
		flow.Spec.Rules = append(flow.Spec.Rules, flowcontrolv1.PolicyRulesWithSubjects{
			Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: name}}},
			ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
				Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"}, ClusterScope: true,
			}},
		})
	}
	createObject(t, flow)
	t.Cleanup(func() {
		_ = admin.Delete(context.Background(), flow)
		_ = admin.Delete(context.Background(), level)
	})
	return level
}

// flowing is a user's client that notes the priority levels of its requests.
type flowing struct {
	client client.Client
	mu     sync.Mutex
	levels map[string]int
}

// editorIn returns the client of a service account that may edit in its
// namespace, once its requests are of the level that was made for it.
func editorIn(t *testing.T, ns, name string) *flowing {
	t.Helper()
	user := "system:serviceaccount:" + ns + ":" + name
	createObject(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "gati-edit"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ns, Name: name}},
	})
	out := &flowing{levels: map[string]int{}}
	config, err := cluster.Admin()
	if err != nil {
		t.Fatal(err)
	}
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.Impersonate = rest.ImpersonationConfig{
		UserName: user, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"},
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return noting{out, next} })
	if out.client, err = client.New(config, client.Options{Scheme: kube.Scheme()}); err != nil {
		t.Fatal(err)
	}
	await.Eventually(t, "an account with rights and a level of priority", func() error {
		out.resetCounts()
		if err := out.client.List(t.Context(), &v1.GatiHandlerList{}, client.InNamespace(ns)); err != nil {
			return err
		}
		var level flowcontrolv1.PriorityLevelConfiguration
		if err := admin.Get(t.Context(), client.ObjectKey{Name: ns}, &level); err != nil {
			return err
		}
		if out.readCounts()[string(level.UID)] == 0 {
			return errors.New("its requests are of another level")
		}
		return nil
	})
	out.resetCounts()
	return out
}

// noting passes requests on and notes the level that the answer names.
type noting struct {
	to   *flowing
	next http.RoundTripper
}

func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := n.next.RoundTrip(r)
	if err == nil {
		n.to.mu.Lock()
		n.to.levels[answer.Header.Get(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID)]++
		n.to.mu.Unlock()
	}
	return answer, err
}

func (f *flowing) resetCounts() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.levels = map[string]int{}
}

func (f *flowing) readCounts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.levels
}

// checkTurns checks in the audit log that each dry run which got a turn had its
// children tried, all of them. On a busy machine some may not get one; those that
// come first do.
func checkTurns(t *testing.T, ns string, many int) {
	t.Helper()
	entries, err := auditOf(ns, func(e request) bool { return e.Object.Resource == "gatihandlers" && e.Verb == "create" })
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, e := range entries {
		switch said := e.Annotations["validate.gati.dev/dry-run"]; said {
		case "passed":
			tried++
		case "skipped: too many dry runs at a time":
		default:
			t.Errorf("of the children of %s the audit log says %q", e.Object.Name, said)
		}
	}
	t.Logf("%d of %d dry runs had their children tried", tried, many)
	if len(entries) != many || tried < turns {
		t.Errorf("%d of %d dry runs had their children tried, want at least %d of %d", tried, len(entries), turns, many)
	}
}

// countDispatched is how many requests of a priority level the API server has worked
// on.
func countDispatched(t *testing.T, level string) int {
	t.Helper()
	config, err := cluster.Admin()
	if err != nil {
		t.Fatal(err)
	}
	text, err := kubernetes.NewForConfigOrDie(config).RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for line := range strings.Lines(string(text)) {
		m := dispatchedLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || !strings.Contains(m[1], fmt.Sprintf("priority_level=%q", level)) {
			continue
		}
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += int(n)
	}
	return sum
}

var dispatchedLine = regexp.MustCompile(`^apiserver_flowcontrol_dispatched_requests_total\{(.*)\} (\S+)$`)
