package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"gati.dev/gati/pkg/webhook/conversion"
)

const (
	// listed is how many objects an API server sends in one review: a list's page.
	listed           = 500
	conversionBudget = 50 * time.Millisecond
)

// TestBenchConversion times a review of 500 handlers, each of which says what
// v1alpha1 cannot, so that all of them carry an annotation.
func TestBenchConversion(t *testing.T) {
	hook, body := conversion.NewHandler(), pageOfHandlers(t)
	var figures []time.Duration
	for range *rounds {
		answer := httptest.NewRecorder()
		asked := httptest.NewRequestWithContext(t.Context(), http.MethodPost, conversion.Path, bytes.NewReader(body))
		start := time.Now()
		hook.ServeHTTP(answer, asked)
		figures = append(figures, time.Since(start))
		requireConverted(t, answer)
	}
	took := median(figures)
	t.Logf("conversion, %d handlers in one review: %s (budget %s)", listed, took, conversionBudget)
	if took > slack*conversionBudget {
		t.Errorf("a review of %d handlers takes %s, more than %d times its budget of %s", listed, took, slack, conversionBudget)
	}
}

// pageOfHandlers is the review that an API server sends for a list in v1alpha1.
func pageOfHandlers(t *testing.T) []byte {
	t.Helper()
	review := apiextensionsv1.ConversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview"},
		Request:  &apiextensionsv1.ConversionRequest{UID: "1", DesiredAPIVersion: "gati.dev/v1alpha1"},
	}
	for i := range listed {
		raw := fmt.Appendf(nil, `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"h-%d","namespace":"shop"},"spec":{"path":"/users/:id","replicas":2,
			"env":[{"name":"B","value":"2"},{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],"methods":["GET"],"versions":{"minAge":"2h"}}}`, i)
		review.Request.Objects = append(review.Request.Objects, runtime.RawExtension{Raw: raw})
	}
	body, err := json.Marshal(review)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func requireConverted(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	var got apiextensionsv1.ConversionReview
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", answer.Code, err, answer.Body)
	}
	if got.Response.Result.Status != metav1.StatusSuccess || len(got.Response.ConvertedObjects) != listed {
		t.Fatalf("want %d objects, got %d: %v", listed, len(got.Response.ConvertedObjects), got.Response.Result)
	}
}
