package admit

import (
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// maxNamedUsers is how many handlers a warning names.
const maxNamedUsers = 1

// WarnRemoval returns a sentence about the handlers that use a module; empty when none
// does.
func WarnRemoval(module string, handlers []v1.GatiHandler) string {
	var users []string
	for i := range handlers {
		if h := &handlers[i]; h.DeletionTimestamp == nil && slices.Contains(h.Spec.Modules, v1.ObjectName(module)) {
			users = append(users, h.Name)
		}
	}
	if len(users) == 0 {
		return ""
	}
	slices.Sort(users)
	named := strings.Join(users[:min(len(users), maxNamedUsers)], ", ")
	if more := len(users) - maxNamedUsers; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("GatiModule %s is used by %s, which can no longer reach it", module, named)
}
