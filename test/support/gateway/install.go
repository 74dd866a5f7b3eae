package gateway

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/await"
)

// CRDs are the files of the definitions of some kinds, of the version that the
// program is built with.
func CRDs(ctx context.Context, kinds ...string) ([]string, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module sigs.k8s.io/gateway-api: %w", err)
	}
	var out []string
	for _, kind := range kinds {
		out = append(out, filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "standard", "gateway.networking.k8s.io_"+kind+".yaml"))
	}
	return out, nil
}

// Install gives a cluster the kinds of the Gateway API and returns when they are served.
func Install(ctx context.Context, cluster *local.Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, await.Patience)
	defer cancel()
	crds, err := CRDs(ctx, "gatewayclasses", "gateways", "httproutes")
	if err != nil {
		return err
	}
	if _, err := cluster.Run(ctx, "", "apply", "--server-side", "-f", strings.Join(crds, ",")); err != nil {
		return err
	}
	// Until the CRD has a status kubectl wait fails instead of waiting.
	for {
		_, err = cluster.Run(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd/httproutes.gateway.networking.k8s.io")
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
