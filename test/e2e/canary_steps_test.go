package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/load"
)

// useCanary goes to 10 and 50 % and then to all, each time when it is promoted.
func useCanary(s *v1.GatiHandlerSpec) {
	s.Rollout = &v1.Rollout{
		Strategy: v1.StrategyCanary, RollbackWindow: "5s",
		Steps: []v1.RolloutStep{{Weight: 10}, {Weight: 50}, {Weight: 100}},
	}
	s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "5s", Deadline: "5s"}}
}

// setOutputSchema returns a change of the schema of the version's answers.
func setOutputSchema(schema string) change {
	return func(s *v1.GatiHandlerSpec) {
		s.Schema = &v1.VersionSchema{Output: &apiextensionsv1.JSON{Raw: []byte(schema)}}
	}
}

// requestWithPlugin makes a request of the handler with the plugin, as people do.
func (w when) requestWithPlugin(verb string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), tools.Plugin, "rollout", verb, "users", "-n", w.ns, "--yes", "--timeout", patience.String())
	cmd.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("kubectl gati rollout %s: %v\n%s", verb, err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	w.logStep("when kubectl gati rollout %s: %s", verb, line)
}

// transformersAreRecorded writes the record of the new version with the functions of
// samples/app for the callers of the old one.
func (w when) transformersAreRecorded(old, young v1.VersionID) {
	w.t.Helper()
	record := builders.MakeVersion("users-v2").Namespace(w.ns).Handler("users").Version(string(young)).Spec(func(s *v1.GatiVersionSpec) {
		s.Transformers = []v1.Transformer{{From: old, To: young, Request: "splitName", Response: "joinName"}}
	}).Obj()
	if err := admin.Apply(w.t.Context(), toApplyConfiguration(w.t, record), client.FieldOwner("kubectl")); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when transformers from %s to %s are recorded", old, young)
}

const (
	// sample is how many requests a share is measured by, at a rate, and window
	// how many tell that the gateway does as its status says.
	sample, window, sampleRate = 1000, 200, 100
	// sigmas is how far off a share may be.
	sigmas = 5
)

// theShareIs waits until the gateway has accepted the weight of a version and acts
// on it, which is a little later, and then counts.
func (n then) theShareIs(version string, percent int32) {
	n.t.Helper()
	n.eventually(fmt.Sprintf("accepted weight of %d for %s", percent, version), func() error { return n.checkAcceptedWeight(version, percent) })
	n.eventually(fmt.Sprintf("share of %d %% of %s", percent, version), func() error {
		return checkShare(n.measureRequests(window), version, percent)
	})
	report := n.measureRequests(sample)
	if err := checkShare(report, version, percent); err != nil {
		n.t.Error(err)
	}
	n.logStep("then %s has %d of %d, and a weight of %d", version, report.By(version), report.Offered, percent)
}

// checkAcceptedWeight checks the weight in the status. A version that is gone has none.
func (n then) checkAcceptedWeight(version string, percent int32) error {
	h, err := n.readHandler()
	if err != nil {
		return err
	}
	// A version has a workload for each of its templates; the one with traffic counts.
	var v *v1.VersionStatus
	known := false
	for i := range h.Status.Versions {
		of := &h.Status.Versions[i]
		if of.Version != version {
			continue
		}
		known = true
		if of.Phase != v1.VersionDecommissioned && (v == nil || of.Weight > v.Weight) {
			v = of
		}
	}
	switch {
	case v == nil && known && percent == 0:
		return nil
	case v == nil:
		return fmt.Errorf("%s is not in the status, or decommissioned", version)
	case v.Weight != percent || v.AcceptedWeight == nil || *v.AcceptedWeight != percent:
		return fmt.Errorf("%s has a weight of %d, %d of it accepted; the status says %+v", version, v.Weight, ptr.Deref(v.AcceptedWeight, -1), h.Status.Conditions)
	}
	return nil
}

// measureRequests sends requests through the gateway. None may fail.
func (n then) measureRequests(count int) load.Report {
	n.t.Helper()
	run, err := load.Start(load.Config{Targets: n.loadTargets("/users/%d")[:1], Rate: sampleRate, Count: count, Seed: seedOf(n.t)})
	if err != nil {
		n.t.Fatal(err)
	}
	report := run.Wait()
	if report.Failed() > 0 || report.Answered() != count {
		n.t.Errorf("of %v", report)
	}
	return report
}

// checkShare fails unless a version has answered its share, give or take.
func checkShare(r load.Report, version string, percent int32) error {
	p, of := float64(percent)/100, float64(r.Offered)
	got, want, margin := float64(r.By(version)), p*of, sigmas*math.Sqrt(of*p*(1-p))
	if math.Abs(got-want) > margin {
		return fmt.Errorf("%s has answered %.0f of %.0f, want %.0f ± %.1f", version, got, of, want, margin)
	}
	return nil
}

// pins is how many requests ask for a version by its header.
const pins = 20

// eachPinReaches asks for each version by its header, which only that version
// answers from the moment on that the gateway knows the pin.
func (n then) eachPinReaches(versions ...string) {
	n.t.Helper()
	for _, version := range versions {
		n.eventually("pin of "+version, func() error { return n.pinReaches(version) })
		for range pins {
			if err := n.pinReaches(version); err != nil {
				n.t.Error(err)
			}
		}
	}
	n.logStep("then %d requests with the header of each of %v reach that version", pins, versions)
}

func (n then) pinReaches(version string) error {
	to := n.loadTargets("/users/7")[0]
	r, err := askForReply(n.t.Context(), to.URL, to.Host, version)
	if err != nil {
		return err
	}
	if r.Version != version {
		return fmt.Errorf("%s has answered a request for %s", r.Version, version)
	}
	return nil
}
