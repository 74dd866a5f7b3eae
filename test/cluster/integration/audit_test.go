package integration

import (
	"fmt"

	"gati.dev/gati/test/support/auditlog"
)

// account is the name under which gati-webhook is known to the API server.
const account = auditlog.Account

type request = auditlog.Request

// audit returns the requests of gati-webhook that fit.
func audit(fits func(request) bool) ([]request, error) {
	return auditlog.Read(cluster.AuditLog, account, func(r request) bool { return r.User.Username == account && fits(r) })
}

// auditOf returns the requests of a namespace that fit, whoever made them.
func auditOf(ns string, fits func(request) bool) ([]request, error) {
	return auditlog.Read(cluster.AuditLog, ns, func(r request) bool { return r.Object.Namespace == ns && fits(r) })
}

// refusals fails when the account of gati-webhook was refused anything since it
// was started: "its account gets no 403 over the whole suite".
func refusals() error {
	asked := 0
	refused, err := audit(func(r request) bool {
		if r.Received.Before(began) {
			return false
		}
		asked++
		return r.LacksRight()
	})
	if err != nil {
		return err
	}
	if asked == 0 {
		return fmt.Errorf("the audit log has no request of %s at all, so it proves nothing", account)
	}
	if len(refused) > 0 {
		return fmt.Errorf("%s was refused %d requests of %d, such as %s", account, len(refused), asked, refused[0])
	}
	fmt.Printf("%s made %d requests; none was refused\n", account, asked)
	return nil
}
