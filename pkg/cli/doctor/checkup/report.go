package checkup

import (
	"slices"
	"strings"
)

// Level is how a finding matters.
type Level string

// The levels. Only a problem makes the checkup fail.
const (
	OK      Level = "ok"
	Note    Level = "note"
	Unknown Level = "unknown"
	Problem Level = "problem"
)

// Finding is a check's result about the cluster or one of its objects.
type Finding struct {
	// Check is the id of the check. It does not change.
	Check   string `json:"check"`
	Level   Level  `json:"level"`
	Object  string `json:"object,omitempty"`
	Message string `json:"message"`
	// Hint is the remedy.
	Hint string `json:"hint,omitempty"`
	// Fix are the commands of the remedy, where these alone solve the problem.
	Fix []string `json:"fix,omitempty"`
}

// check is a pure function with an id. With nothing to say it is fine, unless a fact that
// it needs could not be read.
type check struct {
	id, fine string
	run      func(*Facts) []Finding
	// unread finds those facts; nil where run does.
	unread func(*Facts) []Finding
}

// before are the checks of a cluster that Gati is to be installed on.
var before = []check{
	{"server-version", "the API server is recent enough", checkServerVersion, unreadServer},
	{"server-apis", "the API server serves all APIs that Gati uses", checkServerAPIs, unreadServed},
	{"install-rights", "you may create all objects of an installation", checkInstallRights, func(f *Facts) []Finding { return unreadRights(f.Installing) }},
}

// after are the checks of a cluster that has Gati.
var after = []check{
	before[0],
	before[1],
	{"crds", "the three CRDs are established", checkCRDs, unreadCRDs},
	{"stored-versions", "all objects are stored as v1", checkStoredVersions, unreadCRDs},
	{"hooks", "both webhook configurations are as shipped", checkHooks, unreadHooks},
	{"policies", "the admission policies exist and are bound", checkPolicies, unreadPolicies},
	{"ca-bundle", "the API server trusts one CA for all calls", checkCABundle, unreadBundles},
	{"certificates", "no certificate is about to expire", checkCertificates, unreadCertificates},
	{"gati-webhook", "all its pods are available", checkHooksPods, unreadHooksPods},
	{"gati-controller", "all its pods are available", checkControllersPods, unreadControllersPods},
	{"admission", "a handler created as a dry run went through both hooks", checkAdmission, nil},
	{"conversion", "a handler in v1alpha1 was converted", checkConversion, nil},
	{"skew", "plugin, gati-webhook and CRDs have one release", checkSkew, unreadRelease},
	{"rights", "you have all rights", checkRights, func(f *Facts) []Finding { return unreadRights(f.Rights) }},
	{"obstacles", "no child of a handler or module is stopped by others", checkObstacles, unreadObstacles},
	{"gateway", "the Gateway API is installed, and its classes are accepted", checkGateway, unreadGateway},
	{"routes", "every route is accepted by its gateways", checkRoutes, unreadRoutes},
	{"metrics-api", "the metrics API answers", checkMetricsAPI, unreadMetrics},
	{"prometheus", "the Service of Prometheus has pods", checkPrometheus, unreadPrometheus},
}

// Before judges a cluster without Gati.
func Before(f *Facts) []Finding { return runChecks(before, f) }

// After judges a cluster with Gati. Where none of it is, the rest would only say so
// again.
func After(f *Facts) []Finding {
	if !anyCRD(f) {
		return runChecks(after[:3], f)
	}
	return runChecks(after, f)
}

func runChecks(checks []check, f *Facts) []Finding {
	var all []Finding
	for _, c := range checks {
		found := c.runCheck(f)
		for i := range found {
			found[i].Check = c.id
		}
		all = append(all, found...)
	}
	return all
}

// runCheck returns the findings of a check. A check with an unread fact never reports
// success.
func (c check) runCheck(f *Facts) []Finding {
	found := c.run(f)
	if c.unread != nil {
		if unread := c.unread(f); len(unread) > 0 {
			found = slices.DeleteFunc(found, func(f Finding) bool { return f.Level == OK || f.Level == Unknown })
			return append(found, unread...)
		}
	}
	if len(found) == 0 {
		return newSuccess(c.fine)
	}
	return found
}

func newProblem(object, message, hint string) Finding {
	return Finding{Level: Problem, Object: object, Message: message, Hint: hint}
}

// newFixable returns a problem that commands solve.
func newFixable(object, message, lead string, commands ...string) Finding {
	return Finding{Level: Problem, Object: object, Message: message, Hint: lead + ": " + strings.Join(commands, "; then: "), Fix: commands}
}

func newNote(message, hint string) []Finding {
	return []Finding{{Level: Note, Message: message, Hint: hint}}
}

func newSuccess(message string) []Finding { return []Finding{{Level: OK, Message: message}} }

// newUnknown returns the finding of a check without data.
func newUnknown(why, hint string) []Finding {
	return []Finding{{Level: Unknown, Message: why, Hint: hint}}
}
