package helm

import (
	"errors"
	"fmt"
	"log/slog"

	releaser "helm.sh/helm/v4/pkg/release"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/release/v1/util"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"gati.dev/gati/pkg/helmchart"
)

// maxHistory is how many revisions of a release are kept.
const maxHistory = 10

// Descriptions of revisions, for "helm history".
const (
	descriptionPending   = "Gati applies the objects"
	descriptionDeployed  = "Written by Gati"
	descriptionUninstall = "Gati deletes the objects"
	// descriptionInterrupted is that of a revision whose writer was killed.
	descriptionInterrupted = "Interrupted; Gati continues with the next revision"
)

// store keeps releases where Helm keeps them and in its form, by Helm's own storage.
// Helm's actions are left out: they render templates, whose content is known, and apply
// objects, which Gati does itself. With them the program was half as large again.
type store struct {
	clients clientset.Interface
	clock   clock.PassiveClock
}

// releasesIn returns the releases of a namespace.
func (s store) releasesIn(namespace string) *storage.Storage {
	secrets := driver.NewSecrets(s.clients.CoreV1().Secrets(namespace))
	secrets.SetLogger(slog.DiscardHandler)
	out := storage.Init(secrets)
	out.MaxHistory = maxHistory
	out.SetLogger(slog.DiscardHandler)
	return out
}

// lastRevision returns the newest revision of a release, nil where there is none.
func (s store) lastRevision(name, namespace string) (*release.Release, error) {
	last, err := s.releasesIn(namespace).Last(name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return asRelease(last)
}

// writeRevision adds a revision to a release; apply brings its objects to the cluster meanwhile.
// It returns no revision where apply was not called. What an earlier writer left behind
// that was killed is closed first.
func (s store) writeRevision(c helmchart.Chart, hash, namespace string, last *release.Release, apply func() error) (*release.Release, error) {
	next, err := newRevision(c, namespace, last, s.clock.Now())
	if err != nil {
		return nil, err
	}
	next.Labels[labelHash] = hash
	releases := s.releasesIn(namespace)
	if err := closeInterrupted(releases, last); err != nil {
		return nil, err
	}
	if err := releases.Create(next); err != nil {
		return nil, err
	}
	if err := apply(); err != nil {
		next.SetStatus(common.StatusFailed, fmt.Sprintf("Release %q failed: %s", c.Name, err))
		return next, errors.Join(err, releases.Update(next))
	}
	// In Helm's order: at no time are two revisions deployed.
	if err := supersedeDeployed(releases, c.Name); err != nil {
		return next, err
	}
	next.SetStatus(common.StatusDeployed, descriptionDeployed)
	return next, releases.Update(next)
}

// closeInterrupted ends the operation that a killed writer has begun.
func closeInterrupted(releases *storage.Storage, last *release.Release) error {
	switch {
	case last == nil:
		return nil
	case last.Info.Status.IsPending():
		last.SetStatus(common.StatusFailed, descriptionInterrupted)
	case last.Info.Status == common.StatusUninstalling:
		last.SetStatus(common.StatusUninstalled, descriptionInterrupted)
	default:
		return nil
	}
	return releases.Update(last)
}

// supersedeDeployed closes the revisions of a release that are deployed.
func supersedeDeployed(releases *storage.Storage, name string) error {
	deployed, err := releases.DeployedAll(name)
	if errors.Is(err, driver.ErrNoDeployedReleases) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range deployed {
		old, err := asRelease(d)
		if err != nil {
			return err
		}
		old.Info.Status = common.StatusSuperseded
		if err := releases.Update(old); err != nil {
			return err
		}
	}
	return nil
}

// beginUninstall tells readers of the release that its objects are being deleted.
func (s store) beginUninstall(name, namespace string) error {
	last, err := s.lastRevision(name, namespace)
	if err != nil || last == nil || isUninstalled(last) {
		return err
	}
	last.SetStatus(common.StatusUninstalling, descriptionUninstall)
	last.Info.Deleted = s.clock.Now()
	return s.releasesIn(namespace).Update(last)
}

// purgeHistory removes the history of a release, the oldest revision first: the newest one, which
// is marked as being uninstalled, stays until the end whenever the process is killed.
func (s store) purgeHistory(name, namespace string) error {
	releases := s.releasesIn(namespace)
	found, err := releases.History(name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	history := make([]*release.Release, 0, len(found))
	for _, f := range found {
		r, err := asRelease(f)
		if err != nil {
			return err
		}
		history = append(history, r)
	}
	util.SortByRevision(history)
	for _, r := range history {
		if _, err := releases.Delete(name, r.Version); err != nil && !errors.Is(err, driver.ErrReleaseNotFound) {
			return err
		}
	}
	return nil
}

func isUninstalled(r *release.Release) bool {
	return r.Info.Status == common.StatusUninstalled || r.Info.Status == common.StatusUninstalling
}

func asRelease(r releaser.Releaser) (*release.Release, error) {
	out, ok := r.(*release.Release)
	if !ok {
		return nil, errors.New("read a release of Helm: its version is unknown")
	}
	return out, nil
}
