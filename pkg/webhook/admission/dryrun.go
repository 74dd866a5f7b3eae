package admission

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/facts"
)

const (
	// maxDryRuns is how many requests have their children tried at once. They hold
	// their room at the hook for as long as the API server takes.
	maxDryRuns = 8
	// dryRunPatience is how long a request waits for its turn.
	dryRunPatience = time.Second
	// maxAttempts is how many children of one request are tried at once.
	maxAttempts = 4
)

// Preview dry-runs an object at the API server.
type Preview interface {
	// Check is about an object of the plan, which may exist.
	Check(ctx context.Context, owner, obj client.Object) error
	// Create is about one more object.
	Create(ctx context.Context, obj client.Object) error
}

// DryRun tries the children of a request that is a dry run itself: its user wants to
// know about them too. Real writes are not tried: each would become many, and the
// controller finds the same.
type DryRun struct {
	// Live asks the API server itself.
	Live    client.Reader
	Preview Preview
	// Judge compares the schemas of versions, as the controllers do.
	Judge *compat.Judge
	Clock clock.PassiveClock
	// Quotes is true where only the API server can send reviews, so that answers may quote
	// objects that were read for them.
	Quotes bool

	turns *semaphore.Weighted
}

// NewDryRun returns a DryRun with its fields set and room for a bounded number of
// requests.
func NewDryRun(d DryRun) *DryRun {
	d.turns = semaphore.NewWeighted(maxDryRuns)
	return &d
}

// Tried is the result of the children's dry run.
type Tried struct {
	// Errors are the refusals of the API server, at the fields of the parent.
	Errors   field.ErrorList
	Warnings []string
	// Audit is one word for the audit log, and why where not all could be tried.
	Audit string
}

// Try tries every child that an object leads to next; old is the object as it is stored, or
// nil, and checked the result of its check. A question without an answer does not count
// against the object; a warning names it.
func (d *DryRun) Try(ctx context.Context, obj, old client.Object, f facts.Facts, checked admit.Result) Tried {
	if !d.awaitTurn(ctx) {
		return newUntried("too many dry runs at a time")
	}
	defer d.turns.Release(1)
	q := newQuoting(d.Quotes, obj)
	attempts, err := d.planAttempts(ctx, obj, old, f, checked)
	if err != nil {
		return newUntried(q.orElse(err, errNoPlan).Error())
	}
	errs := d.runAttempts(ctx, attempts)
	out := Tried{Audit: "passed"}
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	for i, a := range attempts {
		out.addAttempt(kind, a, errs[i], q)
	}
	if len(out.Errors) > 0 {
		out.Audit = "refused"
	}
	return out
}

func (d *DryRun) awaitTurn(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, dryRunPatience)
	defer cancel()
	return d.turns.Acquire(ctx, 1) == nil
}

// runAttempts makes the attempts, some at once, and returns what came of each.
func (d *DryRun) runAttempts(ctx context.Context, attempts []attempt) []error {
	errs := make([]error, len(attempts))
	var group errgroup.Group
	group.SetLimit(maxAttempts)
	for i, a := range attempts {
		group.Go(func() error {
			errs[i] = a.try(ctx)
			return nil
		})
	}
	_ = group.Wait() // Each has its own error.
	return errs
}

// addAttempt adds the outcome of one attempt.
func (t *Tried) addAttempt(parent string, a attempt, err error, q quoting) {
	switch classifyError(err) {
	case passed:
	case refusal:
		t.addErrors(blameRefusal(parent, a, err, q))
	case dangling:
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s: %s", a.kind, q.orElse(err, errNamesMissing)))
	case unknown:
		err = q.orElse(err, errNotDecided)
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s was not tried: %s", a.kind, err))
		t.Audit = fmt.Sprintf("incomplete: %s: %s", a.kind, err)
	}
}

// addErrors adds new errors: the API server reports a fault of a template for the
// Deployment and again for its pod.
func (t *Tried) addErrors(errs field.ErrorList) {
	for _, e := range errs {
		told := false
		for _, have := range t.Errors {
			told = told || have.Field == e.Field && sameBlame(have.Detail, e.Detail)
		}
		if !told {
			t.Errors = append(t.Errors, e)
		}
	}
}

func newUntried(why string) Tried {
	return Tried{
		Warnings: []string{"the children were not tried: " + why},
		Audit:    "skipped: " + why,
	}
}

// attempt is one question to the API server.
type attempt struct {
	kind, name string
	try        func(context.Context) error
}
