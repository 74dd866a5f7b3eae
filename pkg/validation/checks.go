package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/rollout"
)

var checkNamePattern = lazyregexp.New(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// These are CEL's messages, too.
const (
	checksStrategyDetail = "needs strategy: Canary; remove checks or change the strategy"
	checksTrafficDetail  = "must not run BeforeTraffic without a gateway, where pods get traffic as soon as they are ready; set spec.route, or run the check at a step"
	checksNamesDetail    = "names must be unique"
	checkStepDetail      = "must be set for when: Step, and only then"
)

// validateChecks rejects checks that no rollout would run, or whose Job is invalid in
// every cluster.
func validateChecks(p *field.Path, s *v1.GatiHandlerSpec) field.ErrorList {
	if s.Rollout == nil || len(s.Rollout.Checks) == 0 {
		return nil
	}
	checks := s.Rollout.Checks
	var errs field.ErrorList
	if s.Rollout.Strategy != v1.StrategyCanary {
		errs = append(errs, invalidValue(p, omitValue, checksStrategyDetail)...)
	}
	isEarly := func(c v1.RolloutCheck) bool { return c.When == v1.CheckBeforeTraffic }
	if s.Route == nil && slices.ContainsFunc(checks, isEarly) {
		errs = append(errs, invalidValue(p, omitValue, checksTrafficDetail)...)
	}
	names := map[string]bool{}
	for _, c := range checks {
		names[c.Name] = true
	}
	if len(names) < len(checks) {
		errs = append(errs, invalidValue(p, omitValue, checksNamesDetail)...)
	}
	steps := int32(len(rollout.StepsFor(s.Rollout.Steps))) - 1
	return append(errs, forEach(p, checks, func(p *field.Path, c *v1.RolloutCheck) field.ErrorList {
		return joinErrors(validateCheck(p, c), validateCheckStep(p.Child("step"), c, steps), validateCheckJob(p.Child("job"), &c.Job))
	})...)
}

func validateCheck(p *field.Path, c *v1.RolloutCheck) field.ErrorList {
	errs := validateDuration(p.Child("timeout"), c.Timeout)
	switch {
	case c.Name == "":
		return append(errs, requiredValue(p.Child("name"), "name the check, such as smoke")...)
	case !checkNamePattern.MatchString(c.Name):
		return append(errs, invalidValue(p.Child("name"), c.Name, "must start with a letter and hold only a-z, 0-9 and hyphens, such as smoke")...)
	}
	return errs
}

// validateCheckStep rejects a step that the rollout does not have. At the end, the check
// runs after promotion.
func validateCheckStep(p *field.Path, c *v1.RolloutCheck, steps int32) field.ErrorList {
	switch {
	case (c.Step != nil) != (c.When == v1.CheckStep):
		return invalidValue(p, omitValue, checkStepDetail)
	case c.Step == nil:
		return nil
	case *c.Step > steps:
		return invalidValue(p, *c.Step, fmt.Sprintf("must be one of the %d steps below 100 %%; at 100 %% use when: AfterPromotion", steps))
	}
	return nil
}

func validateCheckJob(p *field.Path, j *v1.CheckJob) field.ErrorList {
	errs := joinErrors(
		validateImage(p.Child("image"), j.Image),
		validateVariables(p.Child("env"), j.Env),
		validateEnvFrom(p.Child("envFrom"), j.EnvFrom),
		validateResources(p.Child("resources"), j.Resources),
		validateDNSName(p.Child("serviceAccountName"), j.ServiceAccountName),
	)
	for _, e := range j.Env {
		if strings.HasPrefix(e.Name, v1.CheckEnv) {
			errs = append(errs, invalidValue(p.Child("env"), e.Name, "must not begin with "+v1.CheckEnv+", which Gati sets; use another name")...)
		}
	}
	return errs
}
