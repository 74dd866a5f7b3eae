package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"gati.dev/gati/test/support/load"
)

// formNoted is the form of the answer to a request that names no version; empty where the
// request has failed.
type formNoted struct {
	sent, answered time.Time
	form, fault    string
}

// formsNoted are the answers of a load, and the faults of callers that name a version.
type formsNoted struct {
	mu     sync.Mutex
	all    []formNoted
	pinned int
	faults []string
}

// formsAreNoted sends requests by the Service and by the gateway until the test ends: of three,
// one names no version, one v1.0.0 and one v2.0.0.
func (g given) formsAreNoted(rate int) *formsNoted {
	g.t.Helper()
	checks := map[string]func([]byte) error{}
	for _, version := range []string{"v1.0.0", "v2.0.0"} {
		checks[version] = checkShapes(g.world, profileSchemas[version][1])
	}
	out, targets := &formsNoted{}, g.loadTargets(g.resource+"7")
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	g.t.Cleanup(func() { stop(); all.Wait() })
	client := &http.Client{Timeout: 10 * time.Second}
	ticks := time.NewTicker(time.Second / time.Duration(rate))
	all.Go(func() {
		defer ticks.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			to, version := targets[n/3%len(targets)], []string{"", "v1.0.0", "v2.0.0"}[n%3]
			all.Go(func() { out.note(client, to, version, checks) })
		}
	})
	g.logStep("given %d requests a second, of which a third names no version", rate)
	return out
}

// note makes one request and notes its answer.
func (f *formsNoted) note(client *http.Client, to load.Target, version string, checks map[string]func([]byte) error) {
	answer := formNoted{sent: time.Now()}
	body, err := postProfile(client, to, version)
	answer.answered = time.Now()
	for form, check := range checks {
		if err == nil && check(body) == nil {
			answer.form = form
		}
	}
	if answer.form == "" {
		answer.fault = fmt.Sprintf("%v: %s", err, body)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if version == "" {
		f.all = append(f.all, answer)
		return
	}
	f.pinned++
	if answer.form != version {
		f.faults = append(f.faults, fmt.Sprintf("a caller of %s got %q %s", version, answer.form, answer.fault))
	}
}

func postProfile(client *http.Client, to load.Target, version string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, to.URL, strings.NewReader(`{"status": "new", "locale": "en"}`))
	if err != nil {
		return nil, err
	}
	request.Host = to.Host
	request.Header.Set("Content-Type", "application/json")
	if version != "" {
		request.Header.Set("X-Gati-Version", version)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return body, err
}

// contractMovesTo moves the contract by the plugin, which has to say these parts, and returns
// when the command has returned.
func (w when) contractMovesTo(version string, parts ...string) time.Time {
	w.t.Helper()
	var out string
	w.eventually("kubectl gati version contract "+version, func() (err error) {
		if out, err = w.runVersionCommand("contract", version); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	})
	at := time.Now()
	if err := checkContains(out, parts...); err != nil {
		w.t.Error(err)
	}
	w.logStep("when the contract is moved to %s:\n%s", version, strings.TrimSpace(out))
	return at
}

// formsChangeOnce waits for answers after a command, and wants the form of all of them to
// change at one moment before it has returned.
func (n then) formsChangeOnce(f *formsNoted, from, to string, returned time.Time) {
	n.t.Helper()
	n.eventually("answers after the command", func() error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.all) == 0 || f.all[len(f.all)-1].sent.Before(returned.Add(5*time.Second)) {
			return fmt.Errorf("%d answers so far", len(f.all))
		}
		return nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	var firstNew time.Time
	old, after, mixed, late, failed := 0, 0, 0, 0, 0
	for _, a := range f.all {
		if a.form == to && (firstNew.IsZero() || a.answered.Before(firstNew)) {
			firstNew = a.answered
		}
	}
	for _, a := range f.all {
		switch a.form {
		case "":
			failed++
			n.t.Errorf("invalid: %s", a.fault)
		case to:
			after++
		default:
			old++
			if a.sent.After(firstNew) {
				mixed++
			}
			if a.sent.After(returned) {
				late++
			}
		}
	}
	if mixed+late+len(f.faults) > 0 || old == 0 || after == 0 {
		n.t.Errorf("%d answers of %s after the first of %s, %d after the command returned; of those that name a version: %q", mixed, from, to, late, f.faults)
	}
	n.logStep("then of %d requests without a version %d are answered as %s, later %d as %s; %d failed, %d mixed, %d old after the command; of %d that name one %d failed",
		len(f.all), old, from, after, to, failed, mixed, late, f.pinned, len(f.faults))
	f.all, f.pinned = nil, 0
}
