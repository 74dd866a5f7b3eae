package upgrade

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/test/support/repository"
)

// change is one default, or a field with one: where it is in the source, and what a
// later release might have in its place.
type change struct{ file, is, becomes string }

// changes are all of them. TestNewDefaultsRollNothing fails when one is missing:
// it compares what the two builds make of specs that leave everything open.
var changes = []change{
	{"pkg/defaulting/handler.go", `return f.NamespaceImage, fmt`, `return "mirror.example.com/" + f.NamespaceImage, fmt`},
	{"pkg/defaulting/handler.go", `return tag, fmt`, `return tag + "-next", fmt`},
	{"pkg/defaulting/handler.go", `return naming.FirstVersion, fmt`, `return "v0", fmt`},
	{"pkg/defaulting/module.go", `s.ModuleName = name`, `s.ModuleName = name + "-next"`},
	{"pkg/defaulting/pod.go", `runtimeUser = 1001`, `runtimeUser = 1002`},
	{"pkg/defaulting/pod.go", `gracePeriod = 30`, `gracePeriod = 40`},
	{"pkg/defaulting/pod.go", `setDefault(&p.ReadOnlyRootFilesystem, true)`, `setDefault(&p.ReadOnlyRootFilesystem, false)`},
	{"pkg/defaulting/pod.go", `resource.MustParse("100m")`, `resource.MustParse("110m")`},
	{"pkg/defaulting/pod.go", `resource.MustParse("128Mi")`, `resource.MustParse("130Mi")`},
	{"pkg/defaulting/pod.go", `resource.MustParse("500m")`, `resource.MustParse("510m")`},
	{"pkg/defaulting/pod.go", `resource.MustParse("512Mi")`, `resource.MustParse("520Mi")`},
	{"pkg/defaulting/scale.go", `derivedCPU = 70`, `derivedCPU = 71`},
	{"pkg/defaulting/scale.go", `max(1, replicas/2)`, `max(1, replicas-1)`},
	{"pkg/defaulting/scale.go", `max(s.Min, 3*replicas)`, `max(s.Min, 4*replicas)`},

	{"pkg/expand/environment.go", `Value: "0.0.0.0"`, `Value: "::"`},
	{"pkg/expand/environment.go", `FieldPath: "metadata.name"`, `FieldPath: "metadata.uid"`},
	{"pkg/expand/environment.go", `"NODE_ENV":        "production"`, `"NODE_ENV":        "staging"`},
	{"pkg/expand/environment.go", `config["NODE_ENV"] = "production"`, `config["NODE_ENV"] = "staging"`},
	{"pkg/expand/probes.go", `startPeriodSeconds = 2`, `startPeriodSeconds = 3`},
	{"pkg/expand/probes.go", `startAttempts      = 120`, `startAttempts      = 130`},
	{"pkg/expand/probes.go", `service := ""`, `service := "ready"`},
	{"pkg/expand/probes.go", `Scheme: corev1.URISchemeHTTP`, `Scheme: corev1.URISchemeHTTPS`},
	{"pkg/expand/template.go", `nonRoot, change := true, corev1.FSGroupChangeOnRootMismatch`, `nonRoot, change := true, corev1.FSGroupChangeAlways`},
	{"pkg/expand/template.go", `preStopSeconds = 5`, `preStopSeconds = 6`},
	{"pkg/expand/template.go", `new(bool)`, `new(true)`},
	{"pkg/expand/template.go", `MaxSkew: 1,`, `MaxSkew: 2,`},
	{"pkg/expand/template.go", `{corev1.LabelTopologyZone, corev1.LabelHostname}`, `{corev1.LabelHostname, corev1.LabelOSStable}`},
	{"pkg/expand/template.go", `corev1.ScheduleAnyway`, `corev1.DoNotSchedule`},
	{"pkg/expand/volumes.go", `name: "gati-tmp", path: "/tmp"`, `name: "gati-scratch", path: "/var/tmp"`},
	{"pkg/expand/volumes.go", `name: "gati-runtime", path: "/app/.gati"`, `name: "gati-state", path: "/srv/.gati"`},
	{"pkg/expand/volumes.go", `name: "gati-transformers", path: "/etc/gati/transformers", readOnly: true`, `name: "gati-pairs", path: "/etc/gati/pairs"`},
	{"pkg/expand/volumes.go", `name: "gati-data", path: "/data"`, `name: "gati-files", path: "/files"`},
	{"pkg/expand/volumes.go", `optional := true`, `optional := false`},
	{"pkg/expand/volumes.go", `&corev1.EmptyDirVolumeSource{}`, `&corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}`},

	{"api/v1/rollout_types.go", "type Rollout struct {", "type Rollout struct {\n\tPace Duration `json:\"pace,omitempty\"`"},
	{"api/v1/defaults.go", `setText(&r.Strategy, StrategyRollingUpdate)`, `setText(&r.Pace, "1m"); setText(&r.Strategy, StrategyRollingUpdate)`},
	{"api/v1/analysis_types.go", "type Analysis struct {", "type Analysis struct {\n\tPace Duration `json:\"pace,omitempty\"`"},
	{"api/v1/defaults.go", `setText(&a.Interval, DefaultAnalysisInterval)`, `setText(&a.Pace, "1m"); setText(&a.Interval, DefaultAnalysisInterval)`},
}

// TestCorpusHoldsUnderNewDefaults holds that the specs and revisions of the corpus
// lead to the templates that run and to the stored intents, also in the other build.
func TestCorpusHoldsUnderNewDefaults(t *testing.T) {
	out, err := exec.Command("go", "test", "-count=1", "-v", "-run", "^TestCorpus(|Intents)$", "-overlay", writeOverlay(t, t.TempDir()), "gati.dev/gati/pkg/expand").CombinedOutput()
	for _, passed := range []string{"--- PASS: TestCorpus/handler-every-field", "--- PASS: TestCorpusIntents/handler-every-field"} {
		if err != nil || !strings.Contains(string(out), passed) {
			t.Fatalf("%v, want %q\n%s", err, passed, out)
		}
	}
}

// build is a gati-webhook that is being built.
type build struct {
	binary string
	done   chan error
}

// otherBuild starts to build the gati-webhook of a later release in the
// background.
func otherBuild(t *testing.T) build {
	t.Helper()
	dir := t.TempDir()
	b := build{binary: filepath.Join(dir, "gati-webhook"), done: make(chan error, 1)}
	args := []string{"build", "-tags", "grpcnotrace", "-trimpath", "-ldflags", "-s -w", "-overlay", writeOverlay(t, dir), "-o", b.binary, "gati.dev/gati/cmd/gati-webhook"}
	go func() {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		b.done <- err
	}()
	return b
}

// awaitBuild returns the program once it is built.
func (b build) awaitBuild(t *testing.T) string {
	t.Helper()
	if err := <-b.done; err != nil {
		t.Fatal(err)
	}
	return b.binary
}

// writeOverlay writes the changed files and what go build reads in their place. A line
// that is not where it was fails: nothing may be left unchanged in silence.
func writeOverlay(t *testing.T, dir string) string {
	t.Helper()
	texts := map[string]string{}
	for _, c := range changes {
		path, err := filepath.Abs(repository.Path(c.file))
		if err != nil {
			t.Fatal(err)
		}
		if texts[path] == "" {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = string(raw)
		}
		if n := strings.Count(texts[path], c.is); n != 1 {
			t.Fatalf("%s has %q %d times, want it once; say in changes what a later release would derive there", c.file, c.is, n)
		}
		texts[path] = strings.Replace(texts[path], c.is, c.becomes, 1)
	}
	replace := map[string]string{}
	for path, text := range texts {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}
