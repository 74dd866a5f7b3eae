package security

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// TestHostileSchemasDelayNobodyElse: a tenant changes four schemas at once, over and
// over, whose comparison takes all the steps that one may take, while another tenant
// applies versions that are compared as well.
func TestHostileSchemasDelayNobodyElse(t *testing.T) {
	const here, elsewhere = "schemas-of-an-attacker", "schemas-of-a-victim"
	const patience = 10 * time.Second // ten times what an apply may take
	attacker, victim := makeTenant(t, here), makeTenant(t, elsewhere)
	declareSchema(t, victim, elsewhere, "users", `{"type":"string","maxLength":10}`)
	for i := range 4 {
		declareSchema(t, attacker, here, fmt.Sprintf("s%d", i), fmt.Sprintf(`{"const":%q}`, strings.Repeat("a", 4000-i)))
	}

	logAttempt(t, "as a tenant, four changes of schemas at once that cost all of their steps")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	costs := &costlyApplies{client: attacker, ns: here}
	for i := range 4 {
		costs.Go(func() { costs.applyRepeatedly(ctx, t, fmt.Sprintf("s%d", i)) })
	}
	await.Eventually(t, "a comparison that ends undecided", costs.areUndecided)
	var most time.Duration
	for i := range 5 {
		within, done := context.WithTimeout(t.Context(), patience)
		from := time.Now()
		wider := fmt.Sprintf(`{"type":"string","maxLength":%d}`, 20+i)
		if err := patchHandler(within, victim, elsewhere, "users", schemaPatch(fmt.Sprintf("v%d", 2+i), wider)); err != nil {
			t.Errorf("the apply of another namespace: %v", err)
		}
		most = max(most, time.Since(from))
		done()
	}
	cancel()
	costs.Wait()
	logDefence(t, "5 applies of another namespace were compared and answered within %s; %d costly ones were undecided, %d without an answer in time", most.Round(time.Millisecond), costs.undecided, costs.late)
}

// costlyApplies counts how costly applies were refused.
type costlyApplies struct {
	client client.Client
	ns     string

	sync.WaitGroup
	mu              sync.Mutex
	undecided, late int
}

// applyRepeatedly applies a costly schema, another one each time. All are refused: as undecided,
// or since those of their own namespace come first.
func (c *costlyApplies) applyRepeatedly(ctx context.Context, t *testing.T, name string) {
	for n := 0; ctx.Err() == nil; n++ {
		err := patchHandler(ctx, c.client, c.ns, name, schemaPatch("v2", costlySchema(n)), client.DryRunAll)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		switch {
		case err == nil:
			t.Error("a version whose comparison is undecided was admitted")
		case strings.Contains(err.Error(), "cannot be decided, so it counts as breaking"):
			c.undecided++
		case strings.Contains(err.Error(), "could not be compared in time") || strings.Contains(err.Error(), "deadline exceeded"):
			c.late++
		default:
			t.Errorf("refused for another reason: %v", err)
		}
		c.mu.Unlock()
	}
}

func (c *costlyApplies) areUndecided() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.undecided == 0 {
		return fmt.Errorf("none did yet; %d had no answer in time", c.late)
	}
	return nil
}

// declareSchema makes a handler with a schema of its input, and waits until it serves.
func declareSchema(t *testing.T, c client.Client, ns, name, input string) {
	t.Helper()
	h := builders.MakeHandler(name).Namespace(ns).Path("/" + name).Image("app:v1").Obj()
	h.Spec.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(input)}}
	if err := c.Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	await.Eventually(t, name+" to serve", func() error {
		if err := admin.Get(t.Context(), client.ObjectKeyFromObject(h), h); err != nil {
			return err
		}
		if h.Status.Serving == "" {
			return errors.New("nothing serves yet")
		}
		return nil
	})
}

// schemaPatch returns a patch that declares a version that accepts what a schema describes.
func schemaPatch(version, input string) []byte {
	return fmt.Appendf(nil, `{"spec":{"version":%q,"image":"app:%s","schema":{"input":%s}}}`, version, version, input)
}

func patchHandler(ctx context.Context, c client.Client, ns, name string, with []byte, options ...client.PatchOption) error {
	h := builders.MakeHandler(name).Namespace(ns).Obj()
	return c.Patch(ctx, h, client.RawPatch(types.MergePatchType, with), options...)
}

// costlySchema returns a schema, another one for each n, whose comparison with a long constant
// takes all the steps that one may take: sixteen references to a pattern of 3,600 steps.
func costlySchema(n int) string {
	var references []string
	for i := range 16 {
		references = append(references, fmt.Sprintf(`{"$ref":"#/$defs/p"},{"maxLength":%d}`, 5000+16*n+i))
	}
	return `{"$defs":{"p":{"pattern":"(a?){360}(a?){358}b"}},"allOf":[` + strings.Join(references, ",") + `]}`
}
