package admit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// TestSamplesAreNotWarnedOf applies each sample file in order: its versions have the
// shares that they request.
func TestSamplesAreNotWarnedOf(t *testing.T) {
	files, err := filepath.Glob("../../manifests/samples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			around := admit.Surroundings{Facts: facts.Facts{NamespaceImage: "blog:v2.0.0"}}
			for _, doc := range decodeFile(t, file) {
				got := admit.Check(doc.Object, nil, around)
				if len(got.Errors)+len(got.Warnings) > 0 {
					t.Errorf("%s: errors %v, warnings %q", doc.Object.GetName(), got.Errors, got.Warnings)
				}
				if h, ok := doc.Object.(*v1.GatiHandler); ok {
					h.Spec.SetDefaults()
					around.Handler = h
				}
			}
		})
	}
}

func decodeFile(t *testing.T, path string) []admit.Document {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	docs, err := admit.Decode(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// TestTrafficThatIsThereIsNotWarnedOf checks that spec.traffic causes a warning only if
// the version neither has that share nor will have it.
func TestTrafficThatIsThereIsNotWarnedOf(t *testing.T) {
	record := func(version string, share int32) *v1.GatiVersion {
		return builders.MakeVersion("r").Handler("users").Version(version).Traffic(share).Obj()
	}
	for name, tc := range map[string]struct {
		record   *v1.GatiVersion
		declared string
		strategy v1.Strategy
		wantWarn bool
	}{
		"all, of the serving version":      {record("v1", 100), "v1", v1.StrategyRollingUpdate, false},
		"all, of the one being rolled out": {record("v2", 100), "v2", v1.StrategyCanary, false},
		"all, of the one before, so far":   {record("v1", 100), "v2", v1.StrategyCanary, false},
		"none, of the one before":          {record("v1", 0), "v2", v1.StrategyCanary, false},
		"none, of an undeclared version":   {record("v3", 0), "v1", v1.StrategyCanary, false},
		"a part":                           {record("v1", 40), "v1", v1.StrategyRollingUpdate, true},
		"none, of the serving version":     {record("v1", 0), "v1", v1.StrategyCanary, true},
		"all, of an undeclared version":    {record("v3", 100), "v1", v1.StrategyCanary, true},
		"a part, where records decide":     {record("v1", 40), "v1", v1.StrategyManual, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := admit.Check(tc.record, nil, admit.Surroundings{Handler: declaring(tc.declared, tc.strategy)})
			if isWarned := strings.Contains(strings.Join(got.Warnings, "\n"), "spec.traffic"); isWarned != tc.wantWarn || len(got.Errors) > 0 {
				t.Errorf("warnings %q, errors %v; want a warning %t", got.Warnings, got.Errors, tc.wantWarn)
			}
		})
	}
}

// TestATagOfDigitsIsWarnedOf holds that an image's tag that may be a commit is named where it
// becomes the version by itself.
func TestATagOfDigitsIsWarnedOf(t *testing.T) {
	for name, tc := range map[string]struct {
		h      *v1.GatiHandler
		isTold bool
	}{
		"an abbreviated commit":        {builders.MakeHandler("a").Image("app:8202758").Obj(), true},
		"with a version of its own":    {builders.MakeHandler("a").Image("app:8202758").Version("v2").Obj(), false},
		"a build":                      {builders.MakeHandler("a").Image("app:142").Obj(), false},
		"a version":                    {builders.MakeHandler("a").Image("app:v1.2.3").Obj(), false},
		"a commit that is no version":  {builders.MakeHandler("a").Image("app:82f2758").Obj(), false},
		"the namespace's image for it": {builders.MakeHandler("a").Obj(), true},
	} {
		t.Run(name, func(t *testing.T) {
			got := admit.Check(tc.h, nil, admit.Surroundings{Facts: facts.Facts{NamespaceImage: "app:1234567", HTTPRouteServed: true}})
			if told := strings.Contains(strings.Join(got.Warnings, " "), "counts as a version"); told != tc.isTold || len(got.Errors) > 0 {
				t.Errorf("warnings %q, errors %v", got.Warnings, got.Errors)
			}
		})
	}
}

// TestIntervalsHaveTwoScrapes holds that an apply warns of an interval that is shorter than two
// scrapes of the operator's Prometheus, and of none where Gati reads the pods itself.
func TestIntervalsHaveTwoScrapes(t *testing.T) {
	off := false
	for name, tc := range map[string]struct {
		analysis *v1.Analysis
		scrape   time.Duration
		want     string
	}{
		"the default, scraped twice":  {&v1.Analysis{}, 5 * time.Second, ""},
		"the default, scraped once":   {&v1.Analysis{}, 15 * time.Second, "spec.rollout.analysis.interval: 15s has fewer than 2 scrapes of Prometheus; set 30s or more"},
		"a second":                    {&v1.Analysis{Interval: "1s"}, time.Second, "spec.rollout.analysis.interval: 1s has fewer than 2 scrapes of Prometheus; set 2s or more"},
		"an interval that is enough":  {&v1.Analysis{Interval: "30s"}, 15 * time.Second, ""},
		"pods that Gati reads itself": {&v1.Analysis{Interval: "1s"}, 0, ""},
		"no analysis":                 {&v1.Analysis{Interval: "1s", Enabled: &off}, time.Minute, ""},
		"the default analysis":        {nil, time.Minute, ""},
	} {
		h := builders.MakeHandler("a").Image("i:v1").Strategy(v1.StrategyCanary).Step(10, "5m").Spec(func(s *v1.GatiHandlerSpec) {
			if s.Rollout.Analysis = tc.analysis; tc.analysis != nil {
				tc.analysis.Metrics = []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}}
			}
		}).Obj()
		h.Spec.SetDefaults()
		got, _ := admit.Handler(h, nil, facts.Facts{ScrapeInterval: tc.scrape})
		if text := strings.Join(got.Warnings, "\n"); text != tc.want {
			t.Errorf("%s: warnings %q, want %q", name, text, tc.want)
		}
	}
}
