package clitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// Used returns what the requests so far needed the right to, sorted and each once:
// a verb and a resource such as "list pods", "get pods/log" or "patch
// gatihandlers.gati.dev", and what the shipped policies ask for a patch besides.
func (s *Server) Used() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.used)
	slices.Sort(out)
	return slices.Compact(out)
}

// Times returns how often a right was used.
func (s *Server) Times(right string) int {
	n := 0
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, used := range s.used {
		if used == right {
			n++
		}
	}
	return n
}

// useRight notes the use of a right, and reports whether the user has it.
func (s *Server) useRight(right string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = append(s.used, right)
	return !slices.Contains(s.Denied, right)
}

// rightOf is the right that a request needs before it is looked at.
func rightOf(r *http.Request) string {
	resource, name := resourceOf(r.URL.Path)
	verb := map[string]string{http.MethodPost: "create", http.MethodPatch: "patch", http.MethodPut: "update", http.MethodDelete: "delete"}[r.Method]
	switch {
	case verb != "":
	case name != "":
		verb = "get"
	case r.URL.Query().Get("watch") != "":
		verb = "watch"
	default:
		verb = "list"
	}
	return verb + " " + resource
}

// resourceOf returns the resource of a path with its group and subresource, as
// RBAC has them, and the name of the object.
func resourceOf(path string) (resource, name string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 3 {
		return path, path // no resource
	}
	group := ""
	if parts[0] == "apis" {
		group, parts = "."+parts[1], parts[1:]
	}
	parts = parts[2:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	resource = parts[0] + group
	if len(parts) > 1 {
		name = parts[1]
	}
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	return resource, name
}

// verbs are those that fields of a record carry, as the policy gati-records has
// them.
var verbs = map[string]string{"traffic": "traffic", "active": "activate", "tags": "tag", "keep": "keep"}

// rightsForPatch are the rights that the shipped policies ask for a patch.
func rightsForPatch(resource string, patch []byte) []string {
	var p struct {
		Metadata struct {
			Annotations map[string]*string `json:"annotations"`
		} `json:"metadata"`
		Spec map[string]json.RawMessage `json:"spec"`
	}
	if json.Unmarshal(patch, &p) != nil {
		return nil // it is refused as what it is
	}
	var out []string
	if text := p.Metadata.Annotations[v1.AnnotationRequest]; text != nil {
		verb, _, _ := strings.Cut(*text, "/")
		verb, _, _ = strings.Cut(verb, ":")
		out = append(out, verb+" "+resource+"."+v1.Group)
	}
	for field := range p.Spec {
		if verb, has := verbs[field]; has && resource == status.ResourceVersions {
			out = append(out, verb+" "+resource+"."+v1.Group)
		}
	}
	return out
}
