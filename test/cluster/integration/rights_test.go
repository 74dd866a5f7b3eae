package integration

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/auditlog"
)

// right is one verb that RBAC grants.
type right struct{ verb, group, resource, name string }

func (r right) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s %s.%s/%s", r.verb, r.resource, r.group, r.name), "/")
}

// unused are the resources that this suite has no use for, and why they are granted.
var unused = map[string]string{
	"httproutes":              "the cluster of this suite has no Gateway API; test/cluster/rollout has",
	"gatihandlers/finalizers": "asked for by the admission plugin OwnerReferencesPermissionEnforcement alone",
	"gatimodules/finalizers":  "asked for by the admission plugin OwnerReferencesPermissionEnforcement alone",
	"tokenreviews":            "metrics are read in test/security",
	"subjectaccessreviews":    "metrics are read in test/security",
	"scaledobjects":           "the hooks' dry runs of them are in test/cluster/rollout",
}

// accountPolicies are the policies that bound Gati's own accounts.
var accountPolicies = []string{"gati-webhook-account", "gati-controller-account"}

func isRefusedByAccountPolicy(r request) bool {
	return r.Response.Code >= 400 && slices.ContainsFunc(accountPolicies, func(p string) bool { return strings.Contains(r.Response.Message, "'"+p+"'") })
}

// checkRights reads what each account asked for over the whole suite: no request was
// refused, and no resource was granted for nothing.
func checkRights() error {
	var errs []error
	for _, account := range []string{auditlog.HooksAccount, auditlog.ControllersAccount} {
		all, err := auditFor(account, func(r request) bool { return !r.Received.Before(began) })
		if err != nil {
			return err
		}
		errs = append(errs, checkRefusals(account, all))
		if wholeSuite() {
			errs = append(errs, checkUse(account, all))
		}
	}
	return errors.Join(errs...)
}

// wholeSuite reports whether all tests run: with fewer, fewer rights are used.
func wholeSuite() bool {
	return flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
}

// checkUse prints the granted verbs that were never used, and fails when no verb of a
// resource was: some verbs are for a lost race, or for an API server without streams.
func checkUse(account string, all []request) error {
	granted, err := grantedTo(account)
	if err != nil {
		return err
	}
	used, touched := map[right]bool{}, map[string]bool{}
	for _, r := range all {
		resource := strings.TrimSuffix(r.Object.Resource+"/"+r.Object.Subresource, "/")
		used[right{r.Verb, r.Object.Group, resource, r.Object.Name}] = true
		used[right{r.Verb, r.Object.Group, resource, ""}] = true
		touched[resource] = true
	}
	var idle, needless []string
	for _, g := range granted {
		if !used[g] {
			idle = append(idle, g.String())
		}
		if !touched[g.resource] && unused[g.resource] == "" {
			needless = append(needless, g.String())
		}
	}
	fmt.Printf("%s has %d rights; this suite never used: %s\n", account, len(granted), strings.Join(idle, ", "))
	if len(needless) > 0 {
		return fmt.Errorf("%s never touched what these rights are for: %s; drop them from manifests/rbac, or give the reason in unused", account, strings.Join(needless, ", "))
	}
	return nil
}

// grantedTo returns the rights that the installed roles grant to an account.
func grantedTo(account string) ([]right, error) {
	parts := strings.Split(account, ":")
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: parts[2], Name: parts[3]}
	ctx := context.Background()
	var everywhere rbacv1.ClusterRoleBindingList
	var here rbacv1.RoleBindingList
	if err := errors.Join(admin.List(ctx, &everywhere), admin.List(ctx, &here, client.InNamespace(subject.Namespace))); err != nil {
		return nil, err
	}
	var out []right
	add := func(subjects []rbacv1.Subject, ref rbacv1.RoleRef, role client.Object, rules func() []rbacv1.PolicyRule) error {
		if !slices.Contains(subjects, subject) {
			return nil
		}
		key := client.ObjectKey{Name: ref.Name}
		if ref.Kind == "Role" {
			key.Namespace = subject.Namespace
		}
		if err := admin.Get(ctx, key, role); err != nil {
			return err
		}
		out = append(out, rightsOf(rules())...)
		return nil
	}
	for _, b := range everywhere.Items {
		role := &rbacv1.ClusterRole{}
		if err := add(b.Subjects, b.RoleRef, role, func() []rbacv1.PolicyRule { return role.Rules }); err != nil {
			return nil, err
		}
	}
	for _, b := range here.Items {
		role := &rbacv1.Role{}
		if err := add(b.Subjects, b.RoleRef, role, func() []rbacv1.PolicyRule { return role.Rules }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rightsOf returns the single verbs of rules.
func rightsOf(rules []rbacv1.PolicyRule) []right {
	var out []right
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						out = append(out, right{verb, group, resource, name})
					}
				}
			}
		}
	}
	return out
}
