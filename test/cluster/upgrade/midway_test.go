package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
)

// midway is the namespace of rollouts that an upgrade meets, and their gateway.
const midway = "midway"

// scene is a handler in the middle of something.
type scene struct {
	name string
	// of changes the handler that declares v1 and then v2; young changes it for v2.
	of    func(*builders.Handler)
	young func(*v1.GatiHandlerSpec)
	// first is the outcome of v1, then that of v2.
	first, then string
	// shares are set by hand once both versions are there.
	shares map[string]int
	// ask is a request, asked its outcome.
	ask, asked string
}

// scenes are what an upgrade must leave alone. Each outcome is as in outcome.
var scenes = []scene{
	{
		name: "shared", of: func(h *builders.Handler) { h.Strategy(v1.StrategyManual) },
		first: "v1 100", then: "v1 100 v2 0", shares: map[string]int{"v1": 70, "v2": 30}, asked: "v1 70 v2 30",
	},
	{
		name: "rejected", of: func(h *builders.Handler) { h.Strategy(v1.StrategyCanary).Step(10, "") },
		first: "v1 100", then: "v1 90 v2 10", ask: "abort", asked: "v1 100 v2 0, rejected v2",
	},
	{
		name: "pinned", of: func(h *builders.Handler) { h.Strategy(v1.StrategyCanary).Step(100, "") },
		first: "v1 100", then: "v1 0 draining v2 100", ask: "rollback", asked: "v1 100 v2 0, pinned v1",
	},
	{
		name: "paused", of: func(h *builders.Handler) { h.Strategy(v1.StrategyCanary).Step(10, "1h") },
		first: "v1 100", then: "v1 90 v2 10", ask: "pause", asked: "v1 90 v2 10, frozen",
	},
	{
		name: "waiting", of: func(h *builders.Handler) { h.Strategy(v1.StrategyCanary).Step(50, "") },
		first: "v1 100", then: "v1 50 v2 50",
	},
	{
		name: "draining", of: func(h *builders.Handler) {
			h.Strategy(v1.StrategyCanary).Step(100, "").Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.RollbackWindow = "1s" })
		},
		first: "v1 100", then: "v1 0 draining v2 100",
	},
	{
		name: "rolled", of: func(h *builders.Handler) { h.Strategy(v1.StrategyRollingUpdate) },
		first: "v1 100", then: "v1 0 v2 100",
	},
}

// TestUpgradeInMidRollout upgrades gati-webhook while versions share traffic by hand,
// are rejected, pinned, paused, wait for a promotion and drain: no weight moves,
// nothing restarts, and no pod rolls. The short form upgrades to a build with other
// defaults; "make soak NAME=upgradeInMidRollout" upgrades from earlier commits, with
// their manifests, to this one.
func TestUpgradeInMidRollout(t *testing.T) {
	declared := declaredScenes()
	if !isLongForm() {
		putBack(t)
		other := otherBuild(t)
		from, to := func() { startBuild(t, buildDeclaring(t)) }, func() { startBuild(t, other.awaitBuild(t)) }
		playUpgrade(t, from, to, slices.Concat(scenes, declared), declared)
		return
	}
	t.Run("from before transformers led one way", func(t *testing.T) {
		putBack(t)
		from, to := startersFor(t, cmp.Or(os.Getenv(fromVariable), earlierCommit))
		playUpgrade(t, from, to, scenes, nil)
	})
	t.Run("from declared transformers", func(t *testing.T) {
		putBack(t)
		from, to := startersFor(t, declaredCommit)
		playUpgrade(t, from, to, declared, declared)
	})
}

// playUpgrade plays scenes under one release and replaces it by another.
func playUpgrade(t *testing.T, from, to func(), played, declared []scene) {
	t.Helper()
	c := newAdminClient(t)
	from()
	answerRoutes(t)
	env.Namespace(t, midway)
	for _, s := range played {
		s.playScene(t, c)
	}
	awaitCalm(t, c, midway)
	before, decided := stateOf(t, c, midway), readOutcomes(t, c)

	to()
	await.Eventually(t, "a look at every rollout", func() error { return checkReconciled(t, "gatihandler", len(played)) })
	awaitCalm(t, c, midway)
	after := stateOf(t, c, midway)
	before.Written, after.Written = nil, nil // A release may have more to tell.
	before.Revisions, after.Revisions = nil, nil
	assertSame(t, "after the upgrade", before, after)
	if diff := gocmp.Diff(decided, readOutcomes(t, c)); diff != "" {
		t.Errorf("the rollouts are no longer as they were (-was +is):\n%s", diff)
	}
	if len(played) > len(declared) {
		assertPromotes(t, c)
	}
	for _, s := range declared {
		waitsForReports(t, c, s.name)
	}
}

// assertPromotes holds that a rollout goes on after the upgrade.
func assertPromotes(t *testing.T, c client.Client) {
	t.Helper()
	sendRequest(t, c, "waiting", "promote")
	awaitOutcome(t, c, "waiting", "v1 0 draining v2 100")
}

// isLongForm reports whether the upgrade is one from an earlier commit.
func isLongForm() bool { return soak.IsLong("upgradeInMidRollout") }

// startersFor returns what starts the release of a commit, and what replaces it by this one.
func startersFor(t *testing.T, commit string) (from, to func()) {
	t.Helper()
	old := buildEarlier(t, commit)
	return func() {
			old.applyManifests(t)
			freeHooks(t)
			startBuild(t, old.binary)
		}, func() {
			thisRelease(t).applyManifests(t)
			startBuild(t, env.Cluster.Tools().Webhook)
		}
}

// answerRoutes runs a gateway that accepts every route of the namespace.
func answerRoutes(t *testing.T) {
	t.Helper()
	c, err := kube.PatientClient(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	gateways := gateway.New(c)
	gateways.Set(midway, gateway.Behavior{})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go gateways.Run(ctx)
}

// playScene brings a handler to the middle of something.
func (s scene) playScene(t *testing.T, c client.Client) {
	t.Helper()
	b := builders.MakeHandler(s.name).Namespace(midway).Path("/" + s.name).Image("app:v1").Replicas(2).Gateway(midway)
	s.of(b)
	createObjects(t, c, []client.Object{b.Obj()})
	awaitOutcome(t, c, s.name, s.first)
	var h v1.GatiHandler
	getObject(t, c, client.ObjectKey{Namespace: midway, Name: s.name}, &h)
	if s.young != nil {
		createObjects(t, c, []client.Object{coverOf(s.name)})
	}
	editObject(t, c, &h, func() {
		if h.Spec.Image = "app:v2"; s.young != nil {
			s.young(&h.Spec)
		}
	})
	awaitOutcome(t, c, s.name, s.then)
	for version, percent := range s.shares {
		record := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{Namespace: midway, Name: s.name + "-" + version}}
		await.Eventually(t, "traffic of the record "+record.Name, func() error {
			return c.Patch(t.Context(), record, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"traffic":%d}}`, percent)))
		})
	}
	if s.ask != "" {
		sendRequest(t, c, s.name, s.ask)
	}
	if s.asked != "" {
		awaitOutcome(t, c, s.name, s.asked)
	}
}

// sendRequest asks for a verb as the administrator.
func sendRequest(t *testing.T, c client.Client, name, verb string) {
	t.Helper()
	by, err := env.Cluster.Run(t.Context(), "", "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if err != nil {
		t.Fatal(err)
	}
	var h v1.GatiHandler
	getObject(t, c, client.ObjectKey{Namespace: midway, Name: name}, &h)
	editObject(t, c, &h, func() {
		metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequest, verb+"/"+string(uuid.NewUUID()))
		metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequestedBy, strings.TrimSpace(by))
	})
}

// awaitOutcome waits for an outcome that the gateway has accepted.
func awaitOutcome(t *testing.T, c client.Client, name, want string) {
	t.Helper()
	await.Eventually(t, name+" at "+want, func() error {
		var h v1.GatiHandler
		getObject(t, c, client.ObjectKey{Namespace: midway, Name: name}, &h)
		if got := describeOutcome(&h); got != want {
			return errors.New(got)
		}
		if h.Status.Rollout.Phase == v1.RolloutStarting {
			return errors.New("no pod is ready yet")
		}
		for _, v := range h.Status.Versions {
			if v.AcceptedWeight != nil && *v.AcceptedWeight != v.Weight {
				return fmt.Errorf("%d %% of %s are not accepted yet", v.Weight, v.Version)
			}
		}
		return nil
	})
}

// describeOutcome describes in one line what was decided about a handler.
func describeOutcome(h *v1.GatiHandler) string {
	ro := h.Status.Rollout
	if ro == nil {
		return "nothing yet"
	}
	var versions, more []string
	for _, v := range h.Status.Versions {
		text := fmt.Sprintf("%s %d", v.Version, v.Weight)
		if v.DrainingSince != nil {
			text += " draining"
		}
		versions = append(versions, text)
	}
	for _, r := range ro.Rejected {
		more = append(more, ", rejected "+r.Version)
	}
	if ro.Pinned != nil {
		more = append(more, ", pinned "+ro.Pinned.Version)
	}
	if ro.Frozen != nil {
		more = append(more, ", frozen")
	}
	return strings.Join(versions, " ") + strings.Join(more, "")
}

// readOutcomes returns what was decided about every handler, by what its rollout is judged, what
// its route says, and since when its versions drain.
func readOutcomes(t *testing.T, c client.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, h := range listObjects(t, c, midway, &v1.GatiHandlerList{}).Items {
		out[h.Name] = describeOutcome(&h)
		if ro := h.Status.Rollout; ro != nil {
			for _, s := range ro.Analysis {
				out[h.Name+" is judged by"] += s.Name + " "
			}
		}
		for _, v := range h.Status.Versions {
			out[h.Name+" drains"] += fmt.Sprint(v.DrainingSince, " ")
		}
	}
	for _, r := range listObjects(t, c, midway, &gatewayv1.HTTPRouteList{}).Items {
		out[r.Name] = fmt.Sprintf("generation %d: %s", r.Generation, encodeJSON(t, r.Spec))
	}
	return out
}
