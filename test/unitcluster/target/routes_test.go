package target

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/routes"
	"gati.dev/gati/pkg/admit"
)

// TestRoutesOfAcceptedHandlersAreWritten asks the API server about each route in the life of a
// handler: it takes all of one that was accepted, and not those of one that was refused.
func TestRoutesOfAcceptedHandlersAreWritten(t *testing.T) {
	unpaced := rest.CopyConfig(config)
	unpaced.QPS = -1
	admin, err := client.New(unpaced, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	findRefusal := func(stages []routes.Stage) error {
		for _, s := range stages {
			err := admin.Create(t.Context(), s.Route, client.DryRunAll)
			if apierrors.IsInvalid(err) {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return nil
	}
	accepted, refused := 0, 0
	for _, h := range routes.Handlers(t) {
		errs := admit.Check(h, nil, admit.Surroundings{Facts: routes.Facts}).Errors
		refusal := findRefusal(routes.Stages(t, h))
		switch {
		case len(errs) == 0 && refusal != nil:
			t.Fatalf("accepted, and %v\n%s", refusal, routes.Describe(t, h))
		case len(errs) > 0 && refusal == nil && !routes.AsksForMatch(errs):
			t.Fatalf("refused, and its routes are written: %v\n%s", errs, routes.Describe(t, h))
		case len(errs) == 0:
			accepted++
		default:
			refused++
		}
	}
	t.Logf("%d handlers accepted, %d refused", accepted, refused)
	if accepted < 100 || refused < 100 {
		t.Error("the generator has too few of one sort")
	}
}
