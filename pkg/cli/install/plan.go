package install

import (
	"fmt"
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/pkg/remedy"
)

// action is the change of an object.
type action string

const (
	create action = "create"
	change action = "change"
	keep   action = "keep"
	remove action = "delete"
)

// step is one object's part of a plan.
type step struct {
	action action
	object *unstructured.Unstructured
	// isKubectls is set where kubectl has written fields of it without server-side apply.
	isKubectls bool
	// redirect is the patch that turns a CRD to the wanted gati-webhook: an apply leaves the
	// address that another manager has set beside its own, and the API server takes one.
	redirect []byte
}

type plan []step

// stepFor returns the step for one object, from its stored form, if any, and its form after
// an apply.
func stepFor(wanted, stored, applied *unstructured.Unstructured) step {
	switch {
	case stored == nil:
		return step{action: create, object: wanted}
	case reflect.DeepEqual(withoutServerFields(stored), withoutServerFields(applied)):
		return step{action: keep, object: wanted}
	default:
		return step{action: change, object: wanted}
	}
}

// withoutServerFields returns an object without the metadata that the server writes.
func withoutServerFields(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(o.Object, "status")
	return o.Object
}

func (p plan) countActions(a action) int {
	n := 0
	for _, s := range p {
		if s.action == a {
			n++
		}
	}
	return n
}

// hasStored reports whether an object of the kind is in the cluster.
func (p plan) hasStored(kind string) bool {
	for _, s := range p {
		if s.object.GetKind() == kind && s.action != create {
			return true
		}
	}
	return false
}

// printSteps writes what would be done, without what stays as it is.
func (p plan) printSteps(w io.Writer) error {
	for _, s := range p {
		if s.action == keep {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-6s   %s\n", s.action, objectTitle(s.object)); err != nil {
			return err
		}
	}
	return nil
}

func (p plan) summary() string {
	return fmt.Sprintf("%d to create, %d to change, %d up to date", p.countActions(create), p.countActions(change), p.countActions(keep))
}

// checkFits checks that the command fits the plan: install only adds, upgrade changes
// existing objects. The command that does fit has the same flags.
func (p plan) checkFits(upgrade bool, flags string) error {
	differ := 0
	for _, s := range p {
		if s.action == change && s.redirect == nil { // What an uninstall has left belongs to no installation.
			differ++
		}
	}
	switch {
	case upgrade && !p.hasStored(kindCRD):
		return fmt.Errorf("nothing to upgrade: Gati is not installed in this cluster; to install it: %s%s", remedy.Install, flags)
	case !upgrade && differ > 0:
		return fmt.Errorf("cannot install: Gati is already installed, and %d of its objects differ from this plugin's; to see the differences: %s%s", differ, remedy.PreviewUpgrade, flags)
	default:
		return nil
	}
}
