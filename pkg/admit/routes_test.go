package admit_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/internal/testing/crdtest"
	"gati.dev/gati/internal/testing/routes"
	"gati.dev/gati/pkg/admit"
)

// TestRoutesAreAcceptedAsByTheGatewayAPI compares the pipeline with the CRD of HTTPRoutes:
// all routes of an accepted handler are accepted, and those of a refused one are not.
func TestRoutesAreAcceptedAsByTheGatewayAPI(t *testing.T) {
	crd, accepted, refused := routes.CRD(t), 0, map[string]int{}
	for _, h := range routes.Handlers(t) {
		own := admit.Check(h, nil, admit.Surroundings{Facts: routes.Facts}).Errors
		var byCRD field.ErrorList
		stage := ""
		for _, s := range routes.Stages(t, h) {
			route := crdtest.Object(t, s.Route)
			delete(route, "status") // a gateway's, and required
			crd.Default(route)
			if stage, byCRD = s.Name, crd.Validate(route, nil); len(byCRD) > 0 {
				break
			}
		}
		switch {
		case len(own) == 0 && len(byCRD) > 0:
			t.Errorf("accepted, and %s: %v\n%s", stage, byCRD, routes.Describe(t, h))
		case len(own) > 0 && len(byCRD) == 0 && !routes.AsksForMatch(own):
			t.Errorf("refused, and legal: %v\n%s", own, routes.Describe(t, h))
		case len(own) == 0:
			accepted++
		}
		for _, e := range own {
			refused[e.Origin]++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d handlers accepted; errors by check: %v", accepted, refused)
	if accepted < 100 || refused["route"] < 100 || refused["filters"] < 100 || refused["pathMatch"] < 100 {
		t.Error("the generator has too few of one sort")
	}
}
