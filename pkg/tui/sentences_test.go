package tui

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/status"
)

// sentences are what the places say of one state: the conditions, as the controller writes
// them, status and its JSON, explain, and the live view.
type sentences struct {
	conditions, status, explain, view string
	serving                           bool
	snapshot                          *status.Handler
}

// render lets every place write a state.
func render(objs status.Objects, now time.Time) sentences {
	s := status.Build(objs, now)
	h := &s.Handlers[0]
	e := s.ExplainHandler(h)
	out := sentences{status: h.Reason + " → " + h.Next, snapshot: h}
	var explained []string
	for _, l := range e.Links {
		explained = append(explained, string(l.State)+" "+l.Evidence+" → "+l.Next)
	}
	out.explain = strings.Join(append(explained, e.Analysis...), "\n")
	out.view = plain(sized(newModel(Options{First: s, One: true, Backend: willing()}), 400, 80))
	for _, c := range h.Conditions {
		if c.Type == v1.ConditionReconciling {
			out.conditions = c.Message
		}
	}
	return out
}

// verdicts are the words for the state of a canary, the worst first.
var verdicts = []*regexp.Regexp{
	regexp.MustCompile(`is failing|goes on failing|, failing|; failing`),
	regexp.MustCompile(`undecided`),
	regexp.MustCompile(`healthy so far`),
}

// worstVerdict returns the worst of the verdicts that a text has; -1 is none.
func worstVerdict(text string) int {
	return slices.IndexFunc(verdicts, func(v *regexp.Regexp) bool { return v.MatchString(text) })
}

// check returns where two places disagree, or say what does not hold.
func (s sentences) check(now time.Time) error {
	said := -1
	for place, text := range map[string]string{"conditions": s.conditions, "status": s.status, "explain": s.explain, "view": s.view} {
		switch v := worstVerdict(text); {
		case v < 0 || v == said:
		case said < 0:
			said = v
		default:
			return fmt.Errorf("%s says %s, and another place %s", place, verdicts[v], verdicts[said])
		}
	}
	if said == 0 {
		for place, text := range map[string]string{"status": s.status, "explain": s.explain} {
			if regexp.MustCompile(`passes after|[Ss]o it passes|healthy so far`).MatchString(text) {
				return fmt.Errorf("%s says that a failing version passes or is healthy", place)
			}
		}
	}
	if r := s.snapshot.Rollout; r != nil && r.NextAt != nil && strings.Contains(s.status, "continues in ") {
		if err := s.checkMoments(now); err != nil {
			return err
		}
	}
	if !s.serving && (s.snapshot.Health == status.Healthy || regexp.MustCompile(`(?m)^Holds .* serves\b`).MatchString(s.explain)) {
		return fmt.Errorf("nothing serves: %s", s.snapshot.Health)
	}
	return nil
}

var moment = regexp.MustCompile(`at (\d\d:\d\d:\d\d) UTC`)

// checkMoments holds that each moment of the conditions that is to come is that of status.
func (s sentences) checkMoments(now time.Time) error {
	for _, found := range moment.FindAllStringSubmatch(s.conditions, -1) {
		at, err := time.Parse("2006-01-02 15:04:05", now.Format("2006-01-02 ")+found[1])
		if err != nil {
			return err
		}
		if at.Before(now.Add(-12 * time.Hour)) {
			at = at.Add(24 * time.Hour)
		}
		if left := status.Age(metav1.NewTime(now), at); at.After(now) && !strings.Contains(s.status, "in "+left) {
			return fmt.Errorf("the conditions have %s, which is in %s, and status has another moment", found[1], left)
		}
	}
	return nil
}

// TestNoTwoSentencesDisagree lets handlers of each strategy live, with and without a gateway, with
// all kinds of traffic and with pods that go, and holds that the places agree about each state:
// verdict, next moment and end; and that "healthy", "passes" and "serves" are said only where
// they are true.
func TestNoTwoSentencesDisagree(t *testing.T) {
	seen, caught := map[int]int{}, map[string]int{}
	for seed := range int64(3 * canaryLives) {
		l, h := makeLife(seed)
		random := rand.New(rand.NewSource(seed))
		for range 60 {
			if seed >= canaryLives {
				harmOrHeal(l, random)
			}
			if err := l.Look(); err != nil {
				t.Fatal(err)
			}
			if l.Cluster.Now.Sub(rollouttest.Start) > 2*time.Minute && l.Declared.Version == "v1" {
				l.Declare("v2", 1)
			}
			s := render(objectsOf(h, l), l.Cluster.Now)
			s.serving = isServing(l)
			if err := s.check(l.Cluster.Now); err != nil {
				t.Fatalf("seed %d: %v\nconditions: %s\nstatus: %s\nexplain: %s\nview:\n%s", seed, err, s.conditions, s.status, s.explain, s.view)
			}
			for name, fault := range sentenceFaults {
				wrong := s
				if fault(&wrong); wrong.check(l.Cluster.Now) != nil {
					caught[name]++
				}
			}
			seen[worstVerdict(s.status+s.conditions+s.explain)]++
			l.Cluster.Pass(20 * time.Second)
		}
	}
	if t.Logf("%v, %v", seen, caught); len(seen) < 4 {
		t.Errorf("verdicts in %v states", seen)
	}
	for name := range sentenceFaults {
		if caught[name] == 0 {
			t.Errorf("%s: no state shows it", name)
		}
	}
}

// sentenceFaults are faults of one place, which the others show.
var sentenceFaults = map[string]func(*sentences){
	"explain calls a failing version healthy": func(s *sentences) { s.explain = strings.ReplaceAll(s.explain, "is failing", "is healthy so far") },
	"status calls a failing version healthy":  func(s *sentences) { s.status = strings.ReplaceAll(s.status, "failing", "healthy so far") },
	"conditions call it undecided":            func(s *sentences) { s.conditions = strings.ReplaceAll(s.conditions, "healthy so far", "undecided") },
	"the view calls it failing":               func(s *sentences) { s.view = strings.ReplaceAll(s.view, "healthy so far", "is failing") },
	"a failing version passes": func(s *sentences) {
		s.explain = strings.ReplaceAll(s.explain, "is failing", "is failing. So it passes")
	},
	"the conditions end a minute later": func(s *sentences) { s.conditions = moment.ReplaceAllString(s.conditions, "at 23:59:59 UTC") },
	"it serves without pods":            func(s *sentences) { s.serving = false },
}

// canaryLives are those of canaries with a gateway, whose pods stay well.
const canaryLives = 15

// harmOrHeal now and then makes pods fall ill, or all of them well.
func harmOrHeal(l *rollouttest.Life, random *rand.Rand) {
	switch random.Intn(12) {
	case 0:
		l.Cluster.Hurt()
	case 1:
		l.Cluster.Heal()
	}
}

// makeLife returns a handler and its life: the first canaryLives, or one of any strategy, with
// or without a gateway. The rate of requests and the share of bad ones are random.
func makeLife(seed int64) (*rollouttest.Life, v1.GatiHandler) {
	random := rand.New(rand.NewSource(seed))
	pick := func(of ...float64) float64 { return of[random.Intn(len(of))] }
	strategy := v1.StrategyCanary
	if seed >= canaryLives {
		strategy = []v1.Strategy{v1.StrategyCanary, v1.StrategyRollingUpdate, v1.StrategyManual}[seed%3]
	}
	h := statustest.MakeHandler("users").Strategy(strategy).Obj()
	if seed < canaryLives || random.Intn(2) == 0 {
		h.Spec.Route = &v1.Route{}
	}
	ro := h.Spec.Rollout
	ro.Steps = []v1.RolloutStep{{Weight: 10, Pause: v1.Duration(fmt.Sprintf("%ds", 30+random.Intn(300)))}, {Weight: 50, Pause: "2m"}, {Weight: 100}}
	ro.ProgressDeadline = v1.Duration(fmt.Sprintf("%ds", 60+random.Intn(600)))
	if random.Intn(3) > 0 {
		ro.Analysis = &v1.Analysis{
			Inconclusive: []v1.InconclusivePolicy{v1.InconclusivePass, v1.InconclusiveWait, v1.InconclusiveFail}[random.Intn(3)],
			Metrics:      []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: v1.Percent([]string{"90", "99", "99.9"}[random.Intn(3)])}}},
		}
	}
	if random.Intn(2) == 0 && ro.Analysis != nil {
		ro.Analysis.Metrics = append(ro.Analysis.Metrics, v1.AnalysisMetric{Latency: &v1.Latency{Max: "300ms"}})
	}
	h.Spec.SetDefaults()
	l := rollouttest.NewLife(rollout.Next, seed)
	l.Policy = rollout.InputFor(&h, nil, rollouttest.Start).Policy
	if a := l.Policy.Analysis; a != nil && len(a.Metrics) == 2 {
		// A life counts no latencies: the second metric judges the same requests more strictly.
		name, strict := a.Metrics[1].Name, pick(95, 99.9)
		a.Metrics[1] = a.Metrics[0]
		a.Metrics[1].Name, a.Metrics[1].Min = name, &strict
	}
	l.Cluster.Load.PerSecond = pick(0.05, 0.5, 5, 50)
	l.Cluster.Load.Bad = map[string]float64{"v1-r1": pick(0, 0, 0.002), "v2-r1": pick(0, 0.005, 0.03, 0.2, 1)}
	return l, h
}

// objectsOf returns the objects of a life as the plugin reads them.
func objectsOf(h v1.GatiHandler, l *rollouttest.Life) status.Objects {
	h.Status.Versions, h.Status.Rollout = l.State.Versions, l.State.Rollout
	h.Status.ObservedGeneration, h.Status.Version = h.Generation, l.Declared.Version
	h.Status.Health = v1.Healthy
	if w := l.State.Rollout.WaitingFor; w != nil {
		h.Status.Health = w.Reason.Health()
	}
	h.Status.Conditions = []metav1.Condition{{
		Type: v1.ConditionReconciling, Status: metav1.ConditionTrue, Reason: "Canary",
		Message: strings.Join(append([]string{l.Last.Reason}, l.Last.Notes...), " "),
	}}
	objs := status.Objects{Handlers: []v1.GatiHandler{h}}
	for name, w := range l.Input().Workloads {
		if w.Exists {
			objs.Deployments = append(objs.Deployments, statustest.Deployment(statustest.OfHandler("users", name), w.Ready, max(w.Ready, 1)))
		}
	}
	slices.SortFunc(objs.Deployments, func(a, b appsv1.Deployment) int { return strings.Compare(a.Name, b.Name) })
	return objs
}

// isServing reports whether a version with traffic has a ready pod.
func isServing(l *rollouttest.Life) bool {
	in := l.Input()
	return slices.ContainsFunc(l.State.Versions, func(v v1.VersionStatus) bool {
		return v.Weight > 0 && in.Workloads[v.Workload].Ready > 0
	})
}
