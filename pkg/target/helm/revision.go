package helm

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/release/v1/util"

	"gati.dev/gati/pkg/helmchart"
)

// newRevision returns the revision of a release that follows the last one, pending. Labels
// that users gave the release stay.
func newRevision(c helmchart.Chart, namespace string, last *release.Release, now time.Time) (*release.Release, error) {
	loaded, err := loadChart(c)
	if err != nil {
		return nil, err
	}
	manifest, err := manifestOf(c)
	if err != nil {
		return nil, err
	}
	out := &release.Release{
		Name: c.Name, Namespace: namespace, Version: 1, Chart: loaded, Config: map[string]any{}, Manifest: manifest,
		Info:   &release.Info{FirstDeployed: now, LastDeployed: now, Status: common.StatusPendingInstall, Description: descriptionPending},
		Labels: map[string]string{},
		// A rollback by Helm's command then replaces fields of ours without a conflict, and
		// the fields that it has taken show the drift.
		ApplyMethod: string(release.ApplyMethodClientSideApply),
	}
	if last == nil {
		return out, nil
	}
	out.Version = last.Version + 1
	if !isUninstalled(last) {
		maps.Copy(out.Labels, last.Labels)
		out.Info.FirstDeployed, out.Info.Status = last.Info.FirstDeployed, common.StatusPendingUpgrade
	}
	return out, nil
}

// loadChart returns a chart in Helm's form.
func loadChart(c helmchart.Chart) (*chart.Chart, error) {
	files := make([]*archive.BufferedFile, 0, len(c.Files))
	for _, f := range c.Files {
		files = append(files, &archive.BufferedFile{Name: f.Name, Data: f.Data})
	}
	return loader.LoadFiles(files)
}

// manifestOf returns the rendered objects in Helm's order and form.
func manifestOf(c helmchart.Chart) (string, error) {
	files := map[string]string{}
	for _, f := range c.Rendered {
		files[c.Name+"/"+f.Name] = string(f.Data)
	}
	_, sorted, err := util.SortManifests(files, nil, util.InstallOrder)
	if err != nil {
		return "", fmt.Errorf("sort the objects of chart %s: %w", c.Name, err)
	}
	var out strings.Builder
	for _, m := range sorted {
		fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", m.Name, m.Content)
	}
	return out.String(), nil
}
