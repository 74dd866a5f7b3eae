package checkup

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
}

// check is a pure function with an id. With nothing to say, it is fine.
type check struct {
	id, fine string
	run      func(*Facts) []Finding
}

// before are the checks of a cluster that Gati is to be installed on.
var before = []check{
	{"server-version", "the API server is recent enough", checkServerVersion},
	{"server-apis", "the API server serves all APIs that Gati uses", checkServerAPIs},
	{"install-rights", "you may create all objects of an installation", checkInstallRights},
}

// after are the checks of a cluster that has Gati.
var after = []check{
	before[0],
	before[1],
	{"crds", "the three CRDs are established", checkCRDs},
	{"stored-versions", "all objects are stored as v1", checkStoredVersions},
	{"hooks", "both webhook configurations are as shipped", checkHooks},
	{"policies", "the admission policies exist and are bound", checkPolicies},
	{"ca-bundle", "the API server trusts one CA for all calls", checkCABundle},
	{"certificates", "no certificate is about to expire", checkCertificates},
	{"gati-webhook", "all its pods are available", checkWorkload},
	{"admission", "a handler created as a dry run went through both hooks", checkAdmission},
	{"conversion", "a handler in v1alpha1 was converted", checkConversion},
	{"skew", "plugin, gati-webhook and CRDs have one release", checkSkew},
	{"rights", "you have all rights", checkRights},
	{"gateway", "the Gateway API is installed, and its classes are accepted", checkGateway},
	{"routes", "every route is accepted by its gateways", checkRoutes},
	{"metrics-api", "the metrics API answers", checkMetricsAPI},
	{"prometheus", "the Service of Prometheus has pods", checkPrometheus},
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
		found := c.run(f)
		if len(found) == 0 {
			found = []Finding{{Level: OK, Message: c.fine}}
		}
		for i := range found {
			found[i].Check = c.id
		}
		all = append(all, found...)
	}
	return all
}

func problem(object, message, hint string) Finding {
	return Finding{Level: Problem, Object: object, Message: message, Hint: hint}
}

func note(message, hint string) []Finding {
	return []Finding{{Level: Note, Message: message, Hint: hint}}
}

func fine(message string) []Finding { return []Finding{{Level: OK, Message: message}} }

// unknown returns the finding of a check without data.
func unknown(why, hint string) []Finding {
	return []Finding{{Level: Unknown, Message: why, Hint: hint}}
}
