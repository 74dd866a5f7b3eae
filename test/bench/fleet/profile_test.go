package fleet

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"gati.dev/gati/internal/ports"
)

var (
	profiles    = flag.String("profiles", "", "folder that gets profiles of the API server's CPU in each phase, and of gati-webhook's CPU and memory, and the audit log")
	profileTime = flag.Duration("profile-time", 20*time.Second, "how much of a phase a profile covers, from its begin")
)

// profiler writes profiles of the processes while a phase runs.
type profiler struct {
	server *http.Client
	host   string
	// own is the address of gati-webhook's profiles.
	own string
}

// newProfiler returns nil where no profiles were asked for.
func newProfiler() (*profiler, error) {
	if *profiles == "" {
		return nil, nil
	}
	if err := os.MkdirAll(*profiles, 0o755); err != nil {
		return nil, err
	}
	server, err := rest.HTTPClientFor(env.Config)
	if err != nil {
		return nil, err
	}
	port, err := ports.Take()
	if err != nil {
		return nil, err
	}
	return &profiler{server: server, host: env.Config.Host, own: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}, nil
}

// webhookFlags returns those that have gati-webhook serve its profiles.
func (p *profiler) webhookFlags() []string {
	if p == nil {
		return nil
	}
	return []string{"--pprof-bind-address=" + p.own}
}

// beginPhase takes profiles of a phase, and returns a function that waits for them and takes
// what gati-webhook has in memory afterwards.
func (p *profiler) beginPhase(t *testing.T, name string, hasController bool) (end func()) {
	t.Helper()
	if p == nil {
		return func() {}
	}
	ctx := t.Context()
	query := "/debug/pprof/profile?seconds=" + strconv.Itoa(int(profileTime.Seconds()))
	errs := make(chan error, 2)
	go func() { errs <- p.saveProfile(ctx, p.server, p.host+query, name+"-server") }()
	go func() {
		if !hasController {
			errs <- nil
			return
		}
		errs <- p.saveProfile(ctx, http.DefaultClient, "http://"+p.own+query, name+"-own")
	}()
	return func() {
		t.Helper()
		err := errors.Join(<-errs, <-errs)
		if hasController {
			err = errors.Join(err, p.saveProfile(ctx, http.DefaultClient, "http://"+p.own+"/debug/pprof/heap?gc=1", name+"-heap"))
		}
		if err := errors.Join(err, p.keepAuditLog()); err != nil {
			t.Error(err)
		}
	}
}

// keepAuditLog copies what the audit log has so far.
func (p *profiler) keepAuditLog() error {
	log := env.Cluster.AuditLog
	if log == "" {
		return nil
	}
	from, err := os.Open(log)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(*profiles, "audit.log"))
	if err != nil {
		return err
	}
	_, err = to.ReadFrom(from)
	return errors.Join(err, to.Close())
}

func (p *profiler) saveProfile(ctx context.Context, c *http.Client, url, name string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := c.Do(request)
	if err != nil {
		return fmt.Errorf("ask for the profile %s: %w", name, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("ask for the profile %s: %s", name, answer.Status)
	}
	file, err := os.Create(filepath.Join(*profiles, strings.ReplaceAll(name, " ", "-")+".pprof"))
	if err != nil {
		return err
	}
	_, err = file.ReadFrom(answer.Body)
	return errors.Join(err, file.Close())
}
