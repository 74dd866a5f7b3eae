package e2e

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// smoke asks the new version once, with the Node.js of its image.
const smoke = `fetch(process.env.GATI_CHECK_URL + '/users/7').then(async r => {
  console.log('GET /users/7 of ' + process.env.GATI_CHECK_VERSION + ': ' + r.status);
  process.exit(r.ok ? 0 : 1);
}, e => { console.log(String(e.cause ?? e)); process.exit(2); })`

// checkedBy holds a new version to a program of its own image.
func checkedBy(when v1.CheckTime, program string) change {
	return func(s *v1.GatiHandlerSpec) {
		s.Rollout.Checks = []v1.RolloutCheck{{
			Name: "smoke", When: when, Timeout: "3m", Job: v1.CheckJob{Command: []string{"node", "-e", program}},
		}}
	}
}

// inARestrictedNamespace has the API server refuse pods below the restricted level.
func (g given) inARestrictedNamespace() {
	g.t.Helper()
	g.aNamespace()
	g.runKubectl("", "label", "namespace", g.ns, "pod-security.kubernetes.io/enforce=restricted")
}

// hadNoTraffic wants that no state of the handler gave a version weight.
func (n then) hadNoTraffic(film *film[*v1.GatiHandler], version string) {
	n.t.Helper()
	frames := film.Frames()
	for _, f := range frames {
		if w := versionIn(f.Object, version).Weight; w > 0 {
			n.t.Errorf("%s had %d %%", version, w)
		}
	}
	n.logStep("then %s had no weight in %d states", version, len(frames))
}

// A check runs before the first request of a caller, in a namespace that takes restricted
// pods only.
func TestChecksOfACanary(t *testing.T) {
	t.Parallel()
	t.Run("one that fails keeps the traffic away", func(t *testing.T) {
		given, when, then := scenario(t)

		given.inARestrictedNamespace()
		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1s")), checkedBy(v1.CheckBeforeTraffic, smoke))
		given.steadyTraffic(50)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "1"))
		then.isRolledBack("v1.1.0", "its check smoke failed: exit code 1: GET /users/7 of v1.1.0: 500")
		then.hadNoTraffic(film, "v1.1.0")
		then.noRequestHasFailed(500)
		then.answersCameFrom("v1.0.0")
		then.itsPodsServe()
	})

	t.Run("one that passes lets it go on", func(t *testing.T) {
		given, when, then := scenario(t)

		given.inARestrictedNamespace()
		given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "1s")), checkedBy(v1.CheckBeforeTraffic, smoke))
		given.steadyTraffic(50)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"))
		then.isStable("v1.1.0")
		passed := film.awaitFirst("check that passed", func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
			checks := f.Object.Status.Rollout.Checks
			return len(checks) == 1 && checks[0].Verdict == v1.CheckPassed
		})
		then.logStep("then its Job was %s", passed.Object.Status.Rollout.Checks[0].Job)
		then.nothingWasRolledBack()
		then.noRequestHasFailed(500)
	})
}
