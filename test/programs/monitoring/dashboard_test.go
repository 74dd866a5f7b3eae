package monitoring

import (
	"regexp"
	"testing"
)

// TestTheDashboardCanBeShown holds what Grafana does not complain about and a reader
// would: panels that overlap, that have no unit or description, or that ask a fixed
// data source.
func TestTheDashboardCanBeShown(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	if d.UID != "gati" || d.Title != "Gati" {
		t.Errorf("uid %q, title %q", d.UID, d.Title)
	}
	ids, cells := map[int]string{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] != "" {
			t.Errorf("%q and %q have the id %d", p.Title, ids[p.ID], p.ID)
		}
		ids[p.ID] = p.Title
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := cells[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q lies over %q at column %d, line %d of 24 columns", p.Title, other, x, y)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q: want a title, a description, a unit and a query", p.ID, p.Title)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" || p.Datasource.UID != "${datasource}" {
				t.Errorf("%q does not ask the data source of the dashboard", p.Title)
			}
		}
	}
}

var used = regexp.MustCompile(`\$(\w+)`)

// TestEveryVariableIsUsed holds that queries use the variables that there are, and that
// each is used.
func TestEveryVariableIsUsed(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	found := map[string]bool{"__rate_interval": true, "datasource": true}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			for _, m := range used.FindAllStringSubmatch(target.Expr, -1) {
				found[m[1]] = true
			}
		}
	}
	defined := map[string]bool{"__rate_interval": true}
	for _, v := range d.Templating.List {
		defined[v.Name] = true
	}
	for name := range found {
		if !defined[name] {
			t.Errorf("a query uses $%s, which is not defined", name)
		}
	}
	for name := range defined {
		if !found[name] {
			t.Errorf("no query uses $%s", name)
		}
	}
}
