package policy

import (
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The people of TestReach: one with gati-edit in their namespace and nothing
// else, and one who may also create pods and routes there.
const (
	team    = "a"
	editor  = "dev-of-a"
	trusted = "operator-of-a"
)

// refusedBy says what has refused an object, by its answer.
func refusedBy(answer string) string {
	switch {
	case answer == "admitted":
		return "nobody"
	case strings.Contains(answer, "ValidatingAdmissionPolicy"):
		return "policy"
	case strings.Contains(answer, "conversion webhook"):
		return "conversion"
	case strings.Contains(answer, "unknown field"):
		return "the API has no such field"
	case strings.Contains(answer, "cannot create resource"), strings.Contains(answer, "cannot patch resource"), strings.Contains(answer, "cannot update resource"):
		return "RBAC"
	case strings.Contains(answer, "is invalid"):
		return "CRD"
	}
	return "another user"
}

// TestReach lets an editor of one namespace try to read and run what they may
// not. Everything is refused; what the policy refuses, it refuses for the lack of
// a right alone, and a field that does not exist is dropped where the user has
// chosen to have unknown fields ignored.
func TestReach(t *testing.T) {
	makePeople(t)
	makeNamespace(t, "b")
	if err := clientOf(editor).Create(t.Context(), makeHandler("v1", team, "there", plainSpec("v1"))); err != nil {
		t.Fatalf("an editor writes handlers: %v", err)
	}

	out := &record{}
	refusals := map[string]int{}
	for _, o := range listWishes() {
		went := describeOutcome(o.tryDryRun(t, clientOf(editor), "Strict"))
		by := refusedBy(went)
		refusals[by]++
		out.addLine(o.name+", refused by: "+by, refusedValue.ReplaceAllString(went, "Invalid value: "))
		switch by {
		case "policy":
			if got := describeOutcome(o.tryDryRun(t, clientOf(trusted), "Strict")); got != "admitted" {
				t.Errorf("%s: refused although the right is there: %s", o.name, got)
			}
		case "the API has no such field":
			o.assertDropped(t)
		case "CRD", "RBAC", "conversion":
		default:
			t.Errorf("%s: %s: %s", o.name, by, went)
		}
	}
	t.Logf("%d objects, refused by: %v", len(listWishes()), refusals)
	out.compareGolden(t, "reach.txt")
}

// refusedValue is what an API server quotes: the value, or in Kubernetes 1.33 its type.
var refusedValue = regexp.MustCompile(`Invalid value: (?:"(?:\\.|[^"\\])*"|\{.*?\}|\[.*?\]|[^:]+): `)

// tryDryRun writes the object on dry run: by create, or by apply over what is there.
func (w wish) tryDryRun(t *testing.T, c client.Client, fields string) error {
	o := w.makeObject()
	if w.over == "" {
		return c.Create(t.Context(), o, client.DryRunAll, client.FieldValidation(fields))
	}
	return c.Patch(t.Context(), o, client.RawPatch(w.over, []byte(w.patch)), client.DryRunAll, client.FieldValidation(fields))
}

// assertDropped holds that a field that the API does not know is not stored either,
// where the user has unknown fields ignored: what is stored has known ones alone.
func (w wish) assertDropped(t *testing.T) {
	t.Helper()
	o := w.makeObject()
	if err := clientOf(trusted).Create(t.Context(), o, client.DryRunAll, client.FieldValidation("Ignore")); err != nil {
		return // refused for what is left of it
	}
	again := o.DeepCopy()
	again.SetResourceVersion("")
	again.SetUID("")
	if err := clientOf(trusted).Create(t.Context(), again, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
		t.Errorf("%s: stored with what is unknown: %v", w.name, err)
	}
}
