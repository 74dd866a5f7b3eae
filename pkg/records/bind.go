package records

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// Handler has the properties of a handler that binding needs.
type Handler struct {
	Name string
	// Declared is the version that its spec declares now.
	Declared string
	// Versions are all versions that it has admitted.
	Versions []string
}

func (h Handler) hasVersion(version string) bool {
	return version == h.Declared || slices.Contains(h.Versions, version)
}

// Binding is the handler and version that a record is bound to.
type Binding struct{ Handler, Version string }

// Bound returns the binding of a record, which never changes: spec.handler and
// spec.version, completed by the status. A user's record is bound once it has the
// status. Labels and annotations are ignored, because every user who may update a
// record may change them.
func Bound(record *v1.GatiVersion) (Binding, bool) {
	b := Binding{Handler: HandlerName(record), Version: cmp.Or(string(record.Spec.Version), record.Status.Version)}
	isSeen := record.Status.Handler != "" && record.Status.Version != ""
	return b, b.Handler != "" && b.Version != "" && (isSeen || IsAutomatic(record))
}

// HandlerName returns the handler of a record; empty while its name, label or
// deploymentName have yet to decide.
func HandlerName(record *v1.GatiVersion) string {
	return cmp.Or(string(record.Spec.Handler), record.Status.Handler)
}

// Bind finds the binding of a record: the existing one, spec.handler, deploymentName,
// or the longest handler name that begins the record's name. Without a binding, the
// sentence describes what is missing.
func Bind(record *v1.GatiVersion, handlers []Handler) (Binding, string) {
	if b, ok := Bound(record); ok {
		return b, ""
	}
	h, problem := handlerOf(record, handlers)
	if problem != "" {
		return Binding{}, problem
	}
	version := string(record.Spec.Version)
	if version == "" {
		version = h.Declared
	}
	if version == "" {
		return Binding{}, fmt.Sprintf("handler %s declares no version yet, and the record names none", h.Name)
	}
	return Binding{Handler: h.Name, Version: version}, ""
}

func handlerOf(record *v1.GatiVersion, handlers []Handler) (Handler, string) {
	if name := NamedHandler(record); name != "" {
		for _, h := range handlers {
			if h.Name == name {
				return h, ""
			}
		}
		return Handler{}, fmt.Sprintf("there is no GatiHandler %s in this namespace yet", name)
	}
	var best Handler
	for _, h := range handlers {
		fits := strings.HasPrefix(record.Name, h.Name+"-") &&
			(record.Spec.Version == "" || h.hasVersion(string(record.Spec.Version)))
		if fits && len(h.Name) > len(best.Name) {
			best = h
		}
	}
	if best.Name == "" {
		return Handler{}, "no handler of this namespace fits: set spec.handler, or name the record <handler>-<anything> after a handler that has the version"
	}
	return best, ""
}

// NamedHandler returns the handler that a record names explicitly; empty when the
// record's own name decides.
func NamedHandler(record *v1.GatiVersion) string {
	if name := HandlerName(record); name != "" {
		return name
	}
	if name := record.Labels[v1.LabelHandler]; name != "" {
		return name
	}
	prefix := naming.HandlerChild("")
	if rest, ok := strings.CutPrefix(record.Spec.DeploymentName, prefix); ok {
		// handler-<name>--<slug> is the workload of one version.
		name, _, _ := strings.Cut(rest, "--")
		return name
	}
	return ""
}
