package helm

import (
	"errors"
	"log/slog"

	"helm.sh/helm/v4/pkg/action"
	chartcommon "helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	releaser "helm.sh/helm/v4/pkg/release"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	clientset "k8s.io/client-go/kubernetes"

	"gati.dev/gati/pkg/helmchart"
)

// maxHistory is how many revisions of a release are kept.
const maxHistory = 10

// description is that of a revision that Gati wrote.
const description = "Written by Gati"

// store keeps releases by Helm's SDK.
type store struct {
	clients clientset.Interface
	getter  getter
}

// newConfiguration returns what an operation on releases of a namespace needs. apply is
// called where Helm would write their objects.
func (s store) newConfiguration(namespace string, apply func() error) *action.Configuration {
	discard := slog.DiscardHandler
	c := action.NewConfiguration(action.ConfigurationSetLogger(discard))
	objects := kube.New(s.getter)
	objects.Namespace = namespace
	objects.SetLogger(discard)
	secrets := driver.NewSecrets(s.clients.CoreV1().Secrets(namespace))
	secrets.SetLogger(discard)
	c.RESTClientGetter = s.getter
	c.KubeClient = &applier{Interface: objects, apply: apply}
	c.Releases = storage.Init(secrets)
	c.Releases.SetLogger(discard)
	// The templates ask for nothing of the cluster.
	c.Capabilities = chartcommon.DefaultCapabilities
	return c
}

// last returns the newest revision of a release, nil where there is none.
func (s store) last(name, namespace string) (*release.Release, error) {
	last, err := s.newConfiguration(namespace, nil).Releases.Last(name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return asRelease(last)
}

// write installs or upgrades a release. What an earlier operation left behind that was
// killed is closed first.
func (s store) write(c helmchart.Chart, hash, namespace string, last *release.Release, apply func() error) (*release.Release, error) {
	files := make([]*archive.BufferedFile, 0, len(c.Files))
	for _, f := range c.Files {
		files = append(files, &archive.BufferedFile{Name: f.Name, Data: f.Data})
	}
	loaded, err := loader.LoadFiles(files)
	if err != nil {
		return nil, err
	}
	config := s.newConfiguration(namespace, apply)
	if err := closeInterrupted(config, last); err != nil {
		return nil, err
	}
	run := upgrade
	if last == nil || last.Info.Status == common.StatusUninstalled {
		run = install
	}
	written, err := run(config, c.Name, namespace, loaded, map[string]string{labelHash: hash})
	if written == nil {
		return nil, err
	}
	out, convertErr := asRelease(written)
	return out, errors.Join(err, convertErr)
}

// closeInterrupted ends the operation that a killed writer has begun.
func closeInterrupted(config *action.Configuration, last *release.Release) error {
	switch {
	case last == nil:
		return nil
	case last.Info.Status.IsPending():
		last.SetStatus(common.StatusFailed, interrupted)
	case last.Info.Status == common.StatusUninstalling:
		last.SetStatus(common.StatusUninstalled, interrupted)
	default:
		return nil
	}
	return config.Releases.Update(last)
}

// install creates the first revision, or the first after an uninstallation that kept the
// history.
func install(config *action.Configuration, name, namespace string, c *chart.Chart, labels map[string]string) (releaser.Releaser, error) {
	i := action.NewInstall(config)
	i.ReleaseName, i.Namespace, i.Labels, i.Description = name, namespace, labels, description
	i.Replace, i.TakeOwnership, i.DisableHooks, i.SkipCRDs = true, true, true, true
	i.DisableOpenAPIValidation, i.SkipSchemaValidation = true, true
	// A rollback by Helm's command then replaces fields of ours without a conflict, and
	// the fields that it has taken show the drift.
	i.ServerSideApply = false
	i.WaitStrategy = kube.HookOnlyStrategy
	return i.Run(c, map[string]any{})
}

func upgrade(config *action.Configuration, name, namespace string, c *chart.Chart, labels map[string]string) (releaser.Releaser, error) {
	u := action.NewUpgrade(config)
	u.Namespace, u.Labels, u.Description, u.MaxHistory = namespace, labels, description, maxHistory
	u.ResetValues, u.TakeOwnership, u.DisableHooks, u.SkipCRDs = true, true, true, true
	u.DisableOpenAPIValidation, u.SkipSchemaValidation = true, true
	u.ServerSideApply = "false"
	u.WaitStrategy = kube.HookOnlyStrategy
	return u.Run(name, c, map[string]any{})
}

// uninstall removes a release with its objects and its history.
func (s store) uninstall(name, namespace string) error {
	u := action.NewUninstall(s.newConfiguration(namespace, nil))
	u.DisableHooks, u.IgnoreNotFound = true, true
	u.DeletionPropagation, u.WaitStrategy = "background", kube.HookOnlyStrategy
	_, err := u.Run(name)
	return err
}

func asRelease(r releaser.Releaser) (*release.Release, error) {
	out, ok := r.(*release.Release)
	if !ok {
		return nil, errors.New("read a release of Helm: its version is unknown")
	}
	return out, nil
}
