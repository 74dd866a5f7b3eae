package rollout_test

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/simulate"
)

// podTrouble is what happens to the pods of a healthy version and of the stable one: it is called
// for each half of an interval.
type podTrouble struct {
	name string
	// skew is how much earlier the stable version is read.
	skew time.Duration
	act  func(c *rollouttest.Cluster, half int, pods map[string]int, random *rand.Rand)
}

// failBoth lets both versions fail a share of their requests for some halves of an interval of
// so many.
func failBoth(share float64, long, every int) func(*rollouttest.Cluster, int, map[string]int, *rand.Rand) {
	return func(c *rollouttest.Cluster, half int, _ map[string]int, _ *rand.Rand) {
		bad := map[string]float64{"v1-r1": 0.0005, "v2-r1": 0.005}
		if half%every < long {
			bad = map[string]float64{"v1-r1": share, "v2-r1": share}
		}
		c.Load.Bad = bad
	}
}

// troubles are those of pods that no healthy version is rolled back for.
var troubles = []podTrouble{
	{"common outages of 2 minutes", 0, failBoth(0.3, 24, 720)},
	{"common outages of 5 s", 0, failBoth(1, 1, 24)},
	{"common outages of 5 s, read 5 s apart", 5 * time.Second, failBoth(1, 1, 24)},
	{"common outages of 5 s, read 15 s apart", 15 * time.Second, failBoth(1, 1, 24)},
	{"a counter begins again in each interval", 0, func(c *rollouttest.Cluster, half int, pods map[string]int, random *rand.Rand) {
		c.Load.Bad = map[string]float64{"v1-r1": 0.0005, "v2-r1": 0.005}
		of := []string{"v1", "v2"}[half%2]
		c.Reset(of, random.Intn(pods[of]))
	}},
	{"a pod is replaced every minute, and fails 15 % of its first 15 s", 0, func(c *rollouttest.Cluster, half int, pods map[string]int, random *rand.Rand) {
		c.Load.Bad = map[string]float64{"v1-r1": 0.0005, "v2-r1": 0.001}
		of := "v2"
		if pods[of] == 1 {
			of = "v1"
		}
		if c.Load.Cold = 0.15; half%12 == 0 {
			c.Recount(of, random.Intn(pods[of]), 0)
		}
	}},
	{"a pod stops answering the readings", 0, func(c *rollouttest.Cluster, half int, pods map[string]int, random *rand.Rand) {
		c.Load.Bad = map[string]float64{"v1-r1": 0.0005, "v2-r1": 0.005}
		if of := []string{"v1", "v2"}[random.Intn(2)]; half == 60 && pods[of] > 2 {
			c.Mute(of, 0)
		}
	}},
}

// TestHealthyVersionsOfManyPods holds that the default analysis rolls at most 1 % of healthy
// versions back within an hour, whatever happens to their pods: one beside nine of the stable
// version, and five beside five. The machine reads them as it does in a cluster.
func TestHealthyVersionsOfManyPods(t *testing.T) {
	t.Parallel()
	runs := soak.Pick("healthyVersionsOfManyPods", 300, 10)
	most := int(0.01*float64(runs) + 3*math.Sqrt(0.01*0.99*float64(runs)))
	for _, pods := range []map[string]int{{"v2": 1, "v1": 9}, {"v2": 5, "v1": 5}} {
		for _, trouble := range troubles {
			t.Run(fmt.Sprintf("%d+%d pods, %s", pods["v2"], pods["v1"], trouble.name), func(t *testing.T) {
				t.Parallel()
				back, compared, last := 0, int64(0), ""
				for seed := range int64(runs) {
					l := playAnHour(t, pods, trouble, seed, readStableEarlier(trouble.skew))
					if version, why := serving(l); version != "v1" || why != "" {
						back, last = back+1, fmt.Sprintf("seed %d: %s serves: %s", seed, version, why)
					} else {
						compared = metricOf(t, l).Counted.Compared
					}
				}
				t.Logf("%d of %d are rolled back", back, runs)
				if back > most || compared == 0 {
					t.Errorf("%d of %d are rolled back, and %d requests compared; %s", back, runs, compared, last)
				}
			})
		}
	}
}

// TestAMachineThatSeesNoFailuresOfStable holds that the simulation shows one: it rolls a version
// back for a common outage.
func TestAMachineThatSeesNoFailuresOfStable(t *testing.T) {
	blind := before(func(in *rollout.Input) {
		for i := range in.Counters["v1"].Instances {
			in.Counters["v1"].Instances[i].Errors = 0
		}
	})
	for _, trouble := range troubles[:2] {
		l := playAnHour(t, map[string]int{"v2": 5, "v1": 5}, trouble, 1, blind)
		if _, why := serving(l); why == "" {
			t.Errorf("%s: nothing is rolled back: %+v", trouble.name, metricOf(t, l))
		}
	}
}

// playAnHour plays a step of an hour, at the weight that fits the pods.
func playAnHour(t *testing.T, pods map[string]int, trouble podTrouble, seed int64, machine rollouttest.Machine) *rollouttest.Life {
	t.Helper()
	random := rand.New(rand.NewSource(seed))
	l := unconfigured(t, int32(100*pods["v2"]/(pods["v1"]+pods["v2"])), 20, 0)
	l.Policy.Steps[0].Pause = 3 * time.Hour
	l.Cluster.Load.PodsOf = map[string]int{"v1-r1": pods["v1"], "v2-r1": pods["v2"]}
	l.Cluster.Load.Traffic = simulate.Drawn(random)
	l.Next = machine
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	for half := range 720 {
		trouble.act(l.Cluster, half, pods, random)
		l.Cluster.Pass(5 * time.Second)
		if half%2 == 1 {
			look(t, l)
		}
	}
	return l
}

// readStableEarlier lets the machine see counters of v1 that are so much older than those of v2.
func readStableEarlier(by time.Duration) rollouttest.Machine {
	var seen []rollout.Counters
	return before(func(in *rollout.Input) {
		stable := in.Counters["v1"]
		seen = append(seen, stable)
		for len(seen) > 1 && !seen[1].At.After(stable.At.Add(-by)) {
			seen = seen[1:]
		}
		if by > 0 && in.Counters != nil {
			in.Counters["v1"] = seen[0]
		}
	})
}
