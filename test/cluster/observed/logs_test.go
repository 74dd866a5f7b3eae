package observed

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/repository"
)

var logKey = regexp.MustCompile("`([a-zA-Z.-]+)`")

// documentedKeys returns the keys in the table of logs of docs/observability.md, and the
// names of its loggers.
func documentedKeys(t *testing.T) (keys, loggers []string) {
	t.Helper()
	page, err := os.ReadFile(repository.Path("docs/observability.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Logs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if columns := strings.Split(line, "|"); len(columns) == 4 {
			for _, m := range logKey.FindAllStringSubmatch(columns[1], -1) {
				keys = append(keys, m[1])
			}
			if strings.Contains(columns[1], "`logger`") {
				for _, m := range logKey.FindAllStringSubmatch(columns[2], -1) {
					loggers = append(loggers, m[1])
				}
			}
		}
	}
	return keys, loggers
}

// TestLogsAreAsThePageSays holds that each line of gati-webhook's log is one JSON object
// with the documented keys: those of every line, and of a reconciliation, of which there
// is one at least.
func TestLogsAreAsThePageSays(t *testing.T) {
	h := makeUsersHandler("v1")
	h.Namespace = makeNamespace(t, "logged")
	applyHandler(t, h)
	awaitHealth(t, client.ObjectKeyFromObject(h), v1.Healthy, "v1")
	keys, loggers := documentedKeys(t)
	if len(keys) < 8 || len(loggers) < 5 {
		t.Fatalf("the page has the keys %v and the loggers %v", keys, loggers)
	}
	text, err := os.ReadFile(env.Webhook.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	found, reconciliations := map[string]bool{}, 0
	for line := range strings.Lines(string(text)) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("not an object: %s", line)
			continue
		}
		for key := range entry {
			found[key] = true
		}
		for _, key := range []string{"level", "ts", "msg"} {
			if entry[key] == nil {
				t.Errorf("no %s: %s", key, line)
			}
		}
		if _, err := time.Parse(time.RFC3339Nano, entry["ts"].(string)); err != nil {
			t.Errorf("ts: %v", err)
		}
		if logger, has := entry["logger"].(string); has {
			part, _, _ := strings.Cut(logger, ".")
			if !slices.Contains(loggers, part) {
				t.Errorf("the page does not name the logger %s: %s", logger, line)
			}
		}
		if entry["reconcileID"] != nil {
			reconciliations++
			for _, key := range []string{"controller", "controllerKind", "namespace", "name"} {
				if entry[key] == nil {
					t.Errorf("no %s: %s", key, line)
				}
			}
		}
	}
	if !slices.Contains(keys, "error") { // There need not have been one.
		t.Error("the page does not have the key error")
	}
	for _, key := range []string{"level", "ts", "msg", "logger", "namespace", "name"} {
		if !found[key] || !slices.Contains(keys, key) {
			t.Errorf("the key %s: in the log %t, on the page %t", key, found[key], slices.Contains(keys, key))
		}
	}
	if reconciliations == 0 {
		t.Errorf("no line of a reconciliation; keys: %v", found)
	}
}
