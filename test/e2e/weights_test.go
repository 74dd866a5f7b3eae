package e2e

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	v1 "gati.dev/gati/api/v1"
)

// setSteps are a Canary's; one without a pause lasts until it is promoted.
func setSteps(list ...v1.RolloutStep) change {
	return func(s *v1.GatiHandlerSpec) { s.Rollout.Steps = list }
}

func makeStep(weight int32, pause v1.Duration) v1.RolloutStep {
	return v1.RolloutStep{Weight: weight, Pause: pause}
}

// versionIn returns what a state of a handler says of a version, nothing where it
// says nothing. A version has several entries while its pods are replaced.
func versionIn(h *v1.GatiHandler, version string) v1.VersionStatus {
	var out v1.VersionStatus
	for _, v := range h.Status.Versions {
		if v.Version == version && (out.Version == "" || v.Workload != "") {
			out = v
		}
	}
	return out
}

// hasAccepted reports whether the gateway has accepted the weight of a version.
func hasAccepted(h *v1.GatiHandler, version string, percent int32) bool {
	v := versionIn(h, version)
	return v.Weight == percent && ptr.Deref(v.AcceptedWeight, -1) == percent
}

// theWeightIs waits until the gateway has accepted the weight of a version.
func (n then) theWeightIs(version string, percent int32) {
	n.t.Helper()
	n.eventually(fmt.Sprintf("accepted weight of %d for %s", percent, version), func() error { return n.checkAcceptedWeight(version, percent) })
	n.logStep("then %s has a weight of %d", version, percent)
}

// itsTemplateHas waits until a template of a version is rolled out and has a weight. A
// request before that is one about the template before.
func (n then) itsTemplateHas(version string, number int64, percent int32) {
	n.t.Helper()
	n.eventually(fmt.Sprintf("weight of %d for template %d of %s", percent, number, version), func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(h.Status.Versions, func(v v1.VersionStatus) bool { return v.Version == version && v.RevisionNumber == number })
		if at < 0 || h.Status.Rollout.Phase != v1.RolloutProgressing || ptr.Deref(h.Status.Versions[at].AcceptedWeight, -1) != percent {
			return fmt.Errorf("%s, %+v", h.Status.Rollout.Phase, h.Status.Versions)
		}
		return nil
	})
	n.logStep("then template %d of %s has a weight of %d", number, version, percent)
}

// isRolledBack waits until a version is rejected and all traffic is back, and
// wants the reason to say certain things.
func (n then) isRolledBack(version string, says ...string) {
	n.t.Helper()
	var why string
	n.eventually("end of the rollback of "+version, func() error {
		h, err := n.readHandler()
		if err != nil || h.Status.Rollout == nil {
			return errors.Join(err, errors.New("there is no rollout"))
		}
		ro := h.Status.Rollout
		at := slices.IndexFunc(ro.Rejected, func(r v1.RejectedStatus) bool { return r.Version == version })
		if at < 0 || ro.Phase != v1.RolloutStable || versionIn(h, version).Weight != 0 {
			return fmt.Errorf("%s, rejected are %v; %+v", ro.Phase, ro.Rejected, h.Status.Conditions)
		}
		why = ro.Rejected[at].Reason
		return nil
	})
	if err := checkContains(why, says...); err != nil {
		n.t.Errorf("%s was rolled back, but the reason %v", version, err)
	}
	n.logStep("then %s is rolled back: %s", version, why)
}

// nothingWasRolledBack looks through the handler's whole history.
func (n then) nothingWasRolledBack() {
	n.t.Helper()
	h, err := n.readHandler()
	if err != nil {
		n.t.Fatal(err)
	}
	for _, e := range h.Status.Rollout.History {
		if e.What == "RolledBack" || e.What == "Failed" {
			n.t.Errorf("%s %s by %s from %s to %s: %s", e.At, e.What, e.By, e.From, e.To, e.Why)
		}
	}
	if len(h.Status.Rollout.Rejected) > 0 {
		n.t.Errorf("rejected are %v", h.Status.Rollout.Rejected)
	}
	n.logStep("then nothing was rolled back in %d entries of its history", len(h.Status.Rollout.History))
}
