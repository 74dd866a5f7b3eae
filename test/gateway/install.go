package gateway

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gati.dev/gati/internal/local"
)

// Install gives a cluster the kinds of the Gateway API, of the version that the
// program is built with, and returns when they are served.
func Install(ctx context.Context, cluster *local.Cluster) error {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	if err != nil {
		return fmt.Errorf("find the module sigs.k8s.io/gateway-api: %w", err)
	}
	crds := filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "standard")
	for _, kind := range []string{"gatewayclasses", "gateways", "httproutes"} {
		if _, err := cluster.Run(ctx, "", "apply", "--server-side", "-f", filepath.Join(crds, "gateway.networking.k8s.io_"+kind+".yaml")); err != nil {
			return err
		}
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
