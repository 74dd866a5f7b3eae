package doctor

import "strings"

// rightFor names the right that reading a path takes, such as "list gatihandlers.gati.dev
// in namespace shop".
func rightFor(path string) string {
	path, _, _ = strings.Cut(strings.Trim(path, "/"), "?")
	parts := strings.Split(path, "/")
	group := ""
	switch {
	case len(parts) > 2 && parts[0] == "apis":
		group, parts = "."+parts[1], parts[3:]
	case len(parts) > 1 && parts[0] == "api":
		parts = parts[2:]
	default:
		return "get /" + path
	}
	where := ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		where, parts = " in namespace "+parts[1], parts[2:]
	}
	verb := "get "
	if len(parts) == 1 {
		verb = "list "
	}
	return verb + parts[0] + group + where
}
