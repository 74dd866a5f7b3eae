package chart

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLint holds that helm's own linter finds nothing.
func TestLint(t *testing.T) {
	out, err := runHelm(t, "lint", "--strict", folder)
	if err != nil || strings.Contains(out, "[WARNING]") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestASchemaDescribesEveryValue holds that an editor can show what each value is for.
func TestASchemaDescribesEveryValue(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(folder, "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Description string
		Properties  map[string]schema
	}
	var root schema
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	for _, name := range readValues(t) {
		at := root
		for part := range strings.SplitSeq(name, ".") {
			at = at.Properties[part]
		}
		if at.Description == "" {
			t.Errorf("the schema does not describe %s", name)
		}
	}
}

// TestBadValuesAreRefused holds that the message names the value.
func TestBadValuesAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"replicas=3":                              "replicas",
		"webhook.replica=3":                       "replica",
		`webhook.replicas="three"`:                "/webhook/replicas",
		"controller.replicas=-1":                  "/controller/replicas",
		`image.digest="v0.1.0"`:                   "/image/digest",
		`image.pullPolicy="Sometimes"`:            "/image/pullPolicy",
		`imagePullSecrets=["registry"]`:           "/imagePullSecrets/0",
		`webhook.goMemLimit="460Mi"`:              "/webhook/goMemLimit",
		`networkPolicy.apiServers=["192.0.2.1"]`:  "/networkPolicy/apiServers/0",
		`config="log-level: debug"`:               "/config",
		`certManager.enabled="yes"`:               "/certManager/enabled",
		`webhook.resources={"limit":{"cpu":"1"}}`: "/webhook/resources",
	} {
		if out, err := runHelm(t, "template", "gati", folder, "--set-json", set); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v, want an error that names %q:\n%.800s", set, err, want, out)
		}
	}
}

// TestNotes holds that the notes name what to do next, and what stays.
func TestNotes(t *testing.T) {
	for set, want := range map[string]string{
		"crds.keep=true":     "leaves the CRDs",
		"crds.enabled=false": "not part of this release",
	} {
		out, err := runHelm(t, "install", "gati", folder, "--dry-run=client", "--set", set, "-n", "gati-system")
		if err != nil {
			t.Fatalf("%v\n%.2000s", err, out)
		}
		_, notes, found := strings.Cut(out, "NOTES:")
		if !found || !strings.Contains(notes, want) || !strings.Contains(notes, "helm test gati -n gati-system") {
			t.Errorf("%s: notes without %q:\n%s", set, want, notes)
		}
	}
}
