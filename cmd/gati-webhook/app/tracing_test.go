package app

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gati.dev/gati/test/support/repository"
)

// TestTheDocumentsEndpointIsTaken loads the example of docs/observability.md.
func TestTheDocumentsEndpointIsTaken(t *testing.T) {
	page, err := os.ReadFile(repository.Path("docs/observability.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(otlp-endpoint:.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/observability.md has no example of otlp-endpoint")
	}
	c, err := loadNotify(t, string(example[1]))
	if err != nil || !strings.HasSuffix(c.OTLPEndpoint, ":4318/v1/traces") {
		t.Errorf("got %q, %v", c.OTLPEndpoint, err)
	}
	if _, err := loadNotify(t, "otlp-endpoint: collector:4318"); err == nil || !strings.Contains(err.Error(), "must be an address such as") {
		t.Errorf("an address without a scheme: %v", err)
	}
}
