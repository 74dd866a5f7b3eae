package expand_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

func TestPathMatch(t *testing.T) {
	tests := map[string]struct {
		path string
		how  v1.PathMatch

		wantType, wantValue string
	}{
		"root":                               {"/", "", "Exact", "/"},
		"static":                             {"/a/b", "", "Exact", "/a/b"},
		"static, slash last":                 {"/a/", "", "Exact", "/a/"},
		"rest":                               {"/files/*", "", "PathPrefix", "/files"},
		"rest of everything":                 {"/*", "", "PathPrefix", "/"},
		"parameter":                          {"/users/:id", "", "RegularExpression", "^/users/[^/]+$"},
		"parameter in brackets":              {"/users/[id]", "", "RegularExpression", "^/users/[^/]+$"},
		"parameters and rest":                {"/:a/x/[b]/*", "", "RegularExpression", "^/[^/]+/x/[^/]+/.*$"},
		"parameter, prefix chosen":           {"/users/:id/posts", "PathPrefix", "PathPrefix", "/users"},
		"parameter first, prefix chosen":     {"/:id", "PathPrefix", "PathPrefix", "/"},
		"static, prefix chosen":              {"/a/b", "PathPrefix", "PathPrefix", "/a/b"},
		"static, expression chosen":          {"/a/b", "RegularExpression", "RegularExpression", "^/a/b$"},
		"parameter, exact chosen":            {"/users/:id", "Exact", "Exact", "/users/:id"},
		"what means something in expression": {"/a.b+c(d)$~!&,;=@%-/:x", "", "RegularExpression", `^/a\.b\+c\(d\)\$~!&,;=@%-/[^/]+$`},
		"a colon that is no parameter":       {"/a:b", "", "Exact", "/a:b"},
		"a star inside of text":              {"/a*b", "", "Exact", "/a*b"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := expand.PathMatch(tc.path, tc.how)
			if diff := cmp.Diff([]string{tc.wantType, tc.wantValue}, []string{string(*got.Type), *got.Value}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	if got := expand.Matches("/a", "", nil); len(got) != 1 || got[0].Method != nil {
		t.Errorf("without methods: %s", encoded(t, got))
	}
	got := expand.Matches("/a", "", []v1.HTTPMethod{"GET", "POST"})
	if len(got) != 2 || *got[0].Method != "GET" || *got[1].Method != "POST" || *got[1].Path.Value != "/a" {
		t.Errorf("with methods: %s", encoded(t, got))
	}
}

// legal is the rule that the CRD has for a path.
var legal = regexp.MustCompile(`^/(([A-Za-z0-9._~!$&()+,;=@%-]+|:[A-Za-z_][A-Za-z0-9_]*|\[[A-Za-z_][A-Za-z0-9_]*\])(/([A-Za-z0-9._~!$&()+,;=@%-]+|:[A-Za-z_][A-Za-z0-9_]*|\[[A-Za-z_][A-Za-z0-9_]*\]))*(/([*])?)?|[*])?$`)

// FuzzPathMatch holds that an expression compiles, matches a concrete instance of
// its path, and no path with a segment more.
func FuzzPathMatch(f *testing.F) {
	for _, path := range []string{"/", "/*", "/a", "/a/", "/users/:id", "/u/[id]/x", "/a.b/:c/*", "/$()+", "/a/[b]/"} {
		f.Add(path, "value-1")
	}
	f.Fuzz(func(t *testing.T, path, value string) {
		if !legal.MatchString(path) || value == "" || strings.ContainsAny(value, "/\n") {
			t.Skip()
		}
		match := expand.PathMatch(path, v1.PathMatchRegex)
		expression, err := regexp.Compile(*match.Value)
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		concrete := instance(path, value)
		if !expression.MatchString(concrete) {
			t.Errorf("%s of %q does not match %q", *match.Value, path, concrete)
		}
		if !strings.HasSuffix(path, "*") && expression.MatchString(concrete+"/more") {
			t.Errorf("%s of %q matches %q", *match.Value, path, concrete+"/more")
		}
		prefix := *expand.PathMatch(path, v1.PathMatchPrefix).Value
		if !strings.HasPrefix(concrete, strings.TrimSuffix(prefix, "/")) {
			t.Errorf("the prefix %q of %q does not match %q", prefix, path, concrete)
		}
	})
}

// instance is a URL path that the handler's path stands for.
func instance(path, value string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, ":") || strings.HasPrefix(s, "[") || s == "*" {
			segments[i] = value
		}
	}
	return strings.Join(segments, "/")
}
