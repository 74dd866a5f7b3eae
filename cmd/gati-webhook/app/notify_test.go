package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gati.dev/gati/test/support/repository"
)

// loadNotify loads a configuration file with sinks.
func loadNotify(t *testing.T, text string) (*config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return loadConfig([]string{"--config=" + path}, func(string) string { return "" })
}

// TestTheDocumentsSinksAreTaken loads the example of docs/observability.md.
func TestTheDocumentsSinksAreTaken(t *testing.T) {
	page, err := os.ReadFile(repository.Path("docs/observability.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(notify:.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/observability.md has no example of notify")
	}
	c, err := loadNotify(t, string(example[1]))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Notify) != 2 || c.Notify[0].SecretKey != "ops" || c.Notify[0].Format != "slack" || c.Notify[1].Format != "cloudevents" || len(c.Notify[1].Events) != 7 {
		t.Errorf("got %+v", c.Notify)
	}
}

func TestSinksThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"notify: [{name: a, url: http://a}, {name: a, url: http://b}]": "two sinks have the name a",
		"notify: [{name: a, url: http://a, on: [Started]}]":            `key "notify"`,
		"notify: [http://a]": "want an object with name",
	} {
		if _, err := loadNotify(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
