package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// most is how many series a handler may have.
const most = 10

func scrape(t *testing.T, list func(context.Context) ([]v1.GatiHandler, error)) (string, error) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewHandlers(list))
	families, err := registry.Gather()
	var out bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String(), err
}

func of(handlers ...v1.GatiHandler) func(context.Context) ([]v1.GatiHandler, error) {
	return func(context.Context) ([]v1.GatiHandler, error) { return handlers, nil }
}

func handler(name string, change func(*v1.GatiHandlerStatus)) v1.GatiHandler {
	h := v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
	change(&h.Status)
	return h
}

func is(kind string, status metav1.ConditionStatus) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status}
}

// amid is a handler that is everything at once.
func amid(versions int) v1.GatiHandler {
	return handler("users", func(s *v1.GatiHandlerStatus) {
		began := metav1.NewTime(time.Unix(1_700_000_000, 0))
		s.Conditions = []metav1.Condition{is(v1.ConditionReady, metav1.ConditionTrue), is(v1.ConditionStalled, metav1.ConditionFalse), is(v1.ConditionMeasured, metav1.ConditionFalse)}
		s.Rollout = &v1.RolloutStatus{Phase: v1.RolloutProgressing, Target: &v1.UnitRef{Version: "v2", Workload: "v2"}, StartedAt: &began, Frozen: &v1.Deed{}}
		s.Versions = []v1.VersionStatus{
			{Version: "v1", Workload: "main", Phase: v1.VersionActive, Weight: 75}, {Version: "v2", Workload: "v2", Phase: v1.VersionActive, Weight: 25},
			{Version: "v0", Phase: v1.VersionDecommissioned}, {Version: "v3", Workload: "v3", Phase: v1.VersionActive, Held: "it breaks v1"},
		}
		for i := range versions {
			s.Versions = append(s.Versions, v1.VersionStatus{Version: fmt.Sprintf("v9.%d", i), Phase: v1.VersionDraining})
		}
	})
}

func TestHandlers(t *testing.T) {
	fresh := handler("fresh", func(*v1.GatiHandlerStatus) {})
	broken := handler("broken", func(s *v1.GatiHandlerStatus) {
		s.Conditions = []metav1.Condition{is(v1.ConditionStalled, metav1.ConditionTrue)}
		s.Rollout = &v1.RolloutStatus{Phase: v1.RolloutFailed}
	})
	got, err := scrape(t, of(amid(2), fresh, broken))
	if err != nil {
		t.Fatal(err)
	}
	var series []string
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "#") {
			series = append(series, strings.TrimSpace(line))
		}
	}
	want := []string{
		`gati_handler_ready{name="broken",namespace="shop"} 0`, `gati_handler_ready{name="fresh",namespace="shop"} 0`, `gati_handler_ready{name="users",namespace="shop"} 1`,
		`gati_handler_rollout_failed{name="broken",namespace="shop"} 1`, `gati_handler_rollout_failed{name="fresh",namespace="shop"} 0`, `gati_handler_rollout_failed{name="users",namespace="shop"} 0`,
		`gati_handler_rollout_frozen{name="broken",namespace="shop"} 0`, `gati_handler_rollout_frozen{name="fresh",namespace="shop"} 0`, `gati_handler_rollout_frozen{name="users",namespace="shop"} 1`,
		`gati_handler_rollout_started_timestamp_seconds{name="users",namespace="shop"} 1.7e+09`,
		`gati_handler_rollout_weight_percent{name="users",namespace="shop"} 25`,
		`gati_handler_stalled{name="broken",namespace="shop"} 1`, `gati_handler_stalled{name="fresh",namespace="shop"} 0`, `gati_handler_stalled{name="users",namespace="shop"} 0`,
		`gati_handler_unmeasured{name="broken",namespace="shop"} 0`, `gati_handler_unmeasured{name="fresh",namespace="shop"} 0`, `gati_handler_unmeasured{name="users",namespace="shop"} 1`,
		`gati_handler_versions_active{name="broken",namespace="shop"} 0`, `gati_handler_versions_active{name="fresh",namespace="shop"} 0`, `gati_handler_versions_active{name="users",namespace="shop"} 3`,
		`gati_handler_versions_draining{name="broken",namespace="shop"} 0`, `gati_handler_versions_draining{name="fresh",namespace="shop"} 0`, `gati_handler_versions_draining{name="users",namespace="shop"} 2`,
		`gati_handler_versions_held{name="broken",namespace="shop"} 0`, `gati_handler_versions_held{name="fresh",namespace="shop"} 0`, `gati_handler_versions_held{name="users",namespace="shop"} 1`,
		`gati_handlers_gathered 3`,
	}
	if diff := cmp.Diff(want, series); diff != "" {
		t.Error(diff)
	}
}

// TestSeriesOfOneHandler holds that they do not grow with its versions.
func TestSeriesOfOneHandler(t *testing.T) {
	got, err := scrape(t, of(amid(500)))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got, `{name="users"`); n == 0 || n > most {
		t.Errorf("a handler has %d series, at most %d:\n%s", n, most, got)
	}
}

// TestHandlersThatCannotBeListed holds that a scrape fails rather than says nothing.
func TestHandlersThatCannotBeListed(t *testing.T) {
	got, err := scrape(t, func(context.Context) ([]v1.GatiHandler, error) { return nil, errors.New("the cache is not filled") })
	if err == nil || !strings.Contains(err.Error(), "list the handlers: the cache is not filled") {
		t.Errorf("got error %v and\n%s", err, got)
	}
}

// TestNames holds that the page and the alerts speak of series that there are, and
// the page of all.
func TestNames(t *testing.T) {
	var there []string
	text, err := scrape(t, of(amid(0)))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(text, -1) {
		there = append(there, m[1])
	}
	for file, all := range map[string]bool{"../../docs/observability.md": true, "../../manifests/monitoring/common/rules.yaml": false} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`gati_handlers?_[a-z_]+`).FindAllString(string(page), -1)
		for _, name := range named {
			if !slices.Contains(there, name) {
				t.Errorf("%s names %s, which nothing tells", file, name)
			}
		}
		for _, name := range there {
			if all && !slices.Contains(named, name) {
				t.Errorf("%s does not name %s", file, name)
			}
		}
	}
}

// TestSeriesOfAThousandHandlers holds that there is one series beside those of handlers,
// and that each handler has ten at most while it rolls out and drains.
func TestSeriesOfAThousandHandlers(t *testing.T) {
	const handlers = 1000
	list := make([]v1.GatiHandler, handlers)
	for i := range list {
		list[i] = amid(20)
		list[i].Name = fmt.Sprint("users-", i)
	}
	got, err := scrape(t, of(list...))
	if err != nil {
		t.Fatal(err)
	}
	n := strings.Count(got, "\ngati_")
	t.Logf("%d handlers have %d series", handlers, n)
	if n > handlers*most+1 || n < handlers {
		t.Errorf("%d handlers have %d series, want at most %d for each", handlers, n, most)
	}
}
