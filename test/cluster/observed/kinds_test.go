package observed

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"gati.dev/gati/internal/local"
)

// operatorModule has the kinds of the Prometheus operator.
const operatorModule = "github.com/prometheus-operator/prometheus-operator@v0.85.0"

// installOperatorKinds gives a cluster the kinds that manifests/monitoring has objects
// of, from the operator's own module: the API server checks each field.
func installOperatorKinds(ctx context.Context, cluster *local.Cluster) error {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", operatorModule).Output()
	if err != nil {
		return fmt.Errorf("download %s: %w\n%s", operatorModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return err
	}
	for _, kind := range []string{"podmonitors", "servicemonitors", "prometheusrules"} {
		file := filepath.Join(module.Dir, "example", "prometheus-operator-crd", "monitoring.coreos.com_"+kind+".yaml")
		if _, err := cluster.Run(ctx, "", "apply", "--server-side", "-f", file); err != nil {
			return err
		}
		// Until the CRD has a status kubectl wait fails instead of waiting.
		for {
			_, err := cluster.Run(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd/"+kind+".monitoring.coreos.com")
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				return err
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}
