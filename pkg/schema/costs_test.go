package schema

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/soak"
)

// TestAMatchCostsItsWork matches a pattern of 3,600 steps, referenced sixteen times,
// against a constant of 4,000 characters. The comparison once took seconds while the
// meter counted a thousand steps.
func TestAMatchCostsItsWork(t *testing.T) {
	text, name := strings.Repeat("a", 4000), strings.Repeat("a", 3000)
	var references []string
	for i := range 16 {
		references = append(references, fmt.Sprintf(`{"$ref":"#/$defs/p"},{"maxLength":%d}`, 5000+i))
	}
	all, pattern := strings.Join(references, ","), `(a?){360}(a?){358}b`
	for what, pair := range map[string][2]string{
		"pattern":           {`{"const":"` + text + `"}`, `{"$defs":{"p":{"pattern":"` + pattern + `"}},"allOf":[` + all + `]}`},
		"patternProperties": {`{"const":{"` + name + `":1}}`, `{"$defs":{"p":{"patternProperties":{"` + pattern + `":{"type":"string"}}}},"allOf":[` + all + `]}`},
		"propertyNames":     {`{"const":{"` + name + `":1}}`, `{"$defs":{"p":{"propertyNames":{"pattern":"` + pattern + `"}}},"allOf":[` + all + `]}`},
	} {
		t.Run(what, func(t *testing.T) {
			a, b := must(t, pair[0]), must(t, pair[1])
			if steps := Steps(a, b); steps < maxSteps {
				t.Errorf("a match of %d steps counts as %d", len(name)*3600, steps)
			}
		})
	}
}

func TestACheapMatchCostsLittle(t *testing.T) {
	a := must(t, `{"type":"string","pattern":"^[a-z][a-z0-9-]{0,62}$"}`)
	b := must(t, `{"type":"string","pattern":"^[a-z0-9-]+$","maxLength":63}`)
	if steps := Steps(a, b); steps > maxSteps/5 {
		t.Errorf("a usual pattern takes %d steps of %d", steps, maxSteps)
	}
}

func TestCompareWithinEndsWithItsContext(t *testing.T) {
	docs := hostile()
	a, b := must(t, docs["30 choices of two"]), must(t, docs["30 conditions"])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := CompareWithin(ctx, Version{Input: a}, Version{Input: b}, Full)
	if !errors.Is(err, context.Canceled) || r.Breaking || len(r.Findings) > 0 {
		t.Errorf("got %v, %v", r, err)
	}
	c := newComparer(ctx, a, b, false)
	if c.compareNode([]literal{accepts(a.root)}, b.root); maxSteps-c.remaining < unitsPerAsk || !c.isExhausted() {
		t.Errorf("%d steps are left after the context has ended", c.remaining)
	}
}

// TestCostlyPairs searches from a seed for pairs that take much CPU time. Each step
// varies the costliest pair so far, or tries a new one. The bar is maxCost; the test
// fails at ten times that, since the machine may be busy. GATI_SOAK=costlyPairs tries
// 200 pairs beyond the 10 of the short form.
func TestCostlyPairs(t *testing.T) {
	const maxCost = time.Second
	pairs := 10
	if soak.IsLong("costlyPairs") {
		pairs = 210
	}
	r := rand.New(rand.NewPCG(1, 1))
	var worst costlyPair
	var most time.Duration
	over := 0
	for judged := 0; judged < pairs; {
		p := worst.vary(r)
		cost, valid := p.cost()
		if !valid {
			continue
		}
		judged++
		if cost > most {
			worst, most = p, cost
		}
		if cost > maxCost {
			over++
		}
		if cost > 10*maxCost {
			t.Errorf("%+v took %v", p, cost)
		}
	}
	t.Logf("%d pairs, %d over %v; the costliest, %+v, took %v", pairs, over, maxCost, worst, most)
}
