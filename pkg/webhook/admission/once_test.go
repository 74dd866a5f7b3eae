package admission_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/compat"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// accepting is an API server that has nothing against any child.
type accepting struct{}

func (accepting) Check(context.Context, client.Object, client.Object) error { return nil }
func (accepting) Create(context.Context, client.Object) error               { return nil }

// TestOneReview makes one review of each kind. TestReviewsWorkOnce counts what each takes.
func TestOneReview(t *testing.T) {
	live := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
	mutator := &hooks.Mutator{Facts: knows, Live: live}
	validator := &hooks.Validator{Facts: knows, Live: live, Judge: &compat.Judge{}}
	trying := &hooks.Validator{Facts: knows, Live: live, Judge: &compat.Judge{}, DryRun: hooks.NewDryRun(hooks.DryRun{
		Live: live, Preview: accepting{}, Judge: &compat.Judge{}, Clock: clock.RealClock{},
	})}
	for hook, with := range map[string]admission.Handler{"mutate": mutator, "validate": validator, "try": trying} {
		for kind, obj := range map[string]client.Object{
			"Handler": builders.MakeHandler("a").Path("/a").Obj(),
			"Module":  builders.MakeModule("m").Obj(),
		} {
			t.Run(hook+kind, func(t *testing.T) {
				req, isTrying := request(t, obj, nil), hook == "try"
				req.DryRun = &isTrying
				got := with.Handle(t.Context(), req)
				if !got.Allowed || isTrying && got.AuditAnnotations["dry-run"] != "passed" {
					t.Errorf("allowed %t, %v, audited as %v", got.Allowed, got.Result, got.AuditAnnotations)
				}
			})
		}
	}
}

// TestReviewsWorkOnce holds that a review resolves and validates its object once, and that
// of an apply's hooks each expands it at most once.
func TestReviewsWorkOnce(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "counting.test")
	const counted = "gati.dev/gati/pkg/defaulting,gati.dev/gati/pkg/validation,gati.dev/gati/pkg/expand"
	runGo(t, "go", "test", "-c", "-vet=off", "-covermode=count", "-coverpkg="+counted, "-o", binary, ".")
	for hook, expansions := range map[string]int{"mutate": 1, "validate": 0, "try": 1} {
		for _, kind := range []string{"Handler", "Module"} {
			profile := filepath.Join(dir, hook+kind)
			runGo(t, binary, "-test.run=^TestOneReview$/^"+hook+kind+"$", "-test.coverprofile="+profile)
			for function, want := range map[string]int{"defaulting.Resolve": 1, "validation.Validate": 1, "expand.": expansions} {
				if got := countCalls(t, profile, function+kind); got != want {
					t.Errorf("%s of a %s calls %s %d times, want %d", hook, kind, function+kind, got, want)
				}
			}
		}
	}
}

func runGo(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// countCalls returns how often a coverage profile has the first statement of a function.
func countCalls(t *testing.T, profile, function string) int {
	t.Helper()
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	at, calls := findBody(t, function), 0
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, at); found {
			if _, err := fmt.Sscanf(rest[strings.LastIndexByte(rest, ' '):], "%d", &calls); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			return calls
		}
	}
	t.Fatalf("no profile of %s at %s", function, at)
	return 0
}

// findBody returns where the body of a function begins, as coverage profiles write it.
func findBody(t *testing.T, function string) string {
	t.Helper()
	folder, name, _ := strings.Cut(function, ".")
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name && f.Body != nil {
				begin := set.Position(f.Body.Lbrace)
				return fmt.Sprintf("gati.dev/gati/pkg/%s/%s:%d.%d,", folder, filepath.Base(path), begin.Line, begin.Column)
			}
		}
	}
	t.Fatalf("there is no function %s", function)
	return ""
}
