package helm

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/helmchart"
)

// What a revision takes over from the last one: its time and labels while it is installed,
// only its number once it was uninstalled.
func TestNewRevision(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	before := now.Add(-time.Hour)
	last := func(status common.Status) *release.Release {
		return &release.Release{Version: 3, Info: &release.Info{Status: status, FirstDeployed: before}, Labels: map[string]string{"team": "blue"}}
	}
	type outcome struct {
		Version int
		Status  common.Status
		First   time.Time
		Labels  map[string]string
	}
	for name, tc := range map[string]struct {
		last *release.Release
		want outcome
	}{
		"the first":               {nil, outcome{1, common.StatusPendingInstall, now, map[string]string{}}},
		"after one that runs":     {last(common.StatusDeployed), outcome{4, common.StatusPendingUpgrade, before, map[string]string{"team": "blue"}}},
		"after one that failed":   {last(common.StatusFailed), outcome{4, common.StatusPendingUpgrade, before, map[string]string{"team": "blue"}}},
		"after an uninstallation": {last(common.StatusUninstalled), outcome{4, common.StatusPendingInstall, now, map[string]string{}}},
		"amid an uninstallation":  {last(common.StatusUninstalling), outcome{4, common.StatusPendingInstall, now, map[string]string{}}},
	} {
		chart, err := helmchart.New([]client.Object{&corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "shop", Labels: map[string]string{v1.LabelHandler: "users"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := newRevision(chart, "shop", tc.last, now)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, outcome{r.Version, r.Info.Status, r.Info.FirstDeployed, r.Labels}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if r.Info.LastDeployed != now || r.Name != "handler-users" || r.Namespace != "shop" || r.Chart.Name() != "handler-users" || r.Manifest == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// An operation is under way from its start until Helm notes its end, also that of an
// uninstallation: LastDeployed is then of the revision that is removed.
func TestOperationStart(t *testing.T) {
	deployed := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	deleted := deployed.Add(time.Hour)
	for status, want := range map[common.Status]time.Time{
		common.StatusPendingInstall:  deployed,
		common.StatusPendingUpgrade:  deployed,
		common.StatusPendingRollback: deployed,
		common.StatusUninstalling:    deleted,
		common.StatusUninstalled:     {},
		common.StatusDeployed:        {},
		common.StatusFailed:          {},
		common.StatusSuperseded:      {},
	} {
		last := &release.Release{Info: &release.Info{Status: status, LastDeployed: deployed, Deleted: deleted}}
		if got := operationStart(last); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", status, got, want)
		}
	}
}
