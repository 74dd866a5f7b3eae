// Package prometheus runs the Prometheus and the promtool that a devcluster gets, out
// of Debian's package, for tests. It must not know what is scraped.
package prometheus

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/ports"
	"gati.dev/gati/test/support/repository"
)

// programs is the folder of both. They are fetched where they are not in the cache.
var programs = sync.OnceValues(func() (string, error) {
	tools, err := local.FindTools(repository.Bin())
	if err != nil {
		return "", err
	}
	dir, err := exec.Command(tools.Devcluster, "assets", "--prometheus").Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("devcluster assets --prometheus: %w\n%s", err, failed.Stderr)
	}
	return strings.TrimSpace(string(dir)), err
})

// Program returns the path of prometheus or promtool. It fails rather than skips where
// there is none: a test that does not run proves nothing.
func Program(t testing.TB, name string) string {
	t.Helper()
	folder, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, name)
}

// Start runs a Prometheus with a configuration until the test ends, and returns its
// address. Files are beside the configuration, by their names.
func Start(t testing.TB, config string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	port, err := ports.Take()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	cmd := exec.CommandContext(t.Context(), Program(t, "prometheus"), "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+dir, "--web.listen-address="+address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return "http://" + address
}
