package integration

import (
	"fmt"
	"slices"

	"gati.dev/gati/test/support/auditlog"
)

// account is the name under which the controllers are known to the API server.
const account = auditlog.ControllersAccount

type request = auditlog.Request

// readAudit returns the requests of the controllers that fit.
func readAudit(fits func(request) bool) ([]request, error) { return auditFor(account, fits) }

// auditFor returns the requests of an account that fit.
func auditFor(account string, fits func(request) bool) ([]request, error) {
	return auditlog.Read(cluster.AuditLog, account, func(r request) bool { return r.User.Username == account && fits(r) })
}

// auditOf returns the requests of a namespace that fit, whoever made them.
func auditOf(ns string, fits func(request) bool) ([]request, error) {
	return auditlog.Read(cluster.AuditLog, ns, func(r request) bool { return r.Object.Namespace == ns && fits(r) })
}

// checkRefusals fails when one of these requests was refused: no account of Gati is
// refused anything over the whole suite, neither by RBAC nor by the policies about it.
func checkRefusals(account string, all []request) error {
	if len(all) == 0 {
		return fmt.Errorf("the audit log has no request of %s at all, so it proves nothing", account)
	}
	refused := slices.DeleteFunc(slices.Clone(all), func(r request) bool { return !r.LacksRight() && !isRefusedByAccountPolicy(r) })
	if len(refused) > 0 {
		return fmt.Errorf("%s was refused %d requests of %d, such as %s", account, len(refused), len(all), refused[0])
	}
	fmt.Printf("%s made %d requests; none was refused\n", account, len(all))
	return nil
}
