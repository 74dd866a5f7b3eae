package monitoring

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gati.dev/gati/test/support/await"
)

// CheckQueries waits until every panel of the dashboard and every recording rule has
// data, and every metric that an alert asks for exists. It returns how many panels'
// queries and rules these are.
func (s Server) CheckQueries(t testing.TB) (queries, ruled int) {
	t.Helper()
	all := readPanels(t)
	for title, expr := range all {
		await.Eventually(t, "data for "+title, func() error {
			found, err := s.Query(t, expr)
			if err == nil && len(found) == 0 {
				err = fmt.Errorf("no data for %s", expr)
			}
			return err
		})
	}
	await.Eventually(t, "the metrics of every rule", func() error {
		var names struct{ Data []string }
		if err := s.getJSON(t, "/api/v1/label/__name__/values", &names); err != nil {
			return err
		}
		var err error
		ruled, err = s.checkRules(t, names.Data)
		return err
	})
	return len(all), ruled
}

// checkRules returns how many rules there are, and the first that fails or asks for a
// metric that does not exist.
func (s Server) checkRules(t testing.TB, known []string) (count int, err error) {
	t.Helper()
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Type, Query, Health, LastError string }
			}
		}
	}
	if err := s.getJSON(t, "/api/v1/rules", &answer); err != nil {
		return 0, err
	}
	for _, g := range answer.Data.Groups {
		for _, r := range g.Rules {
			count++
			if r.Health != "ok" {
				return count, fmt.Errorf("%s: %s %s", r.Name, r.Health, r.LastError)
			}
			for _, name := range metricsOf(r.Query) {
				if !slices.Contains(known, name) {
					return count, fmt.Errorf("%s asks for %s, which does not exist", r.Name, name)
				}
			}
			if r.Type == "recording" && !slices.Contains(known, r.Name) {
				return count, fmt.Errorf("%s records nothing", r.Name)
			}
		}
	}
	if count == 0 {
		return 0, errors.New("no rules in Prometheus")
	}
	return count, nil
}
