package helm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/target"
)

// labelHash is on the Secret of a release: the hash of its chart.
const labelHash = "gati.dev/chart"

// Reasons of the Events about releases that others have changed.
const (
	reasonRolledBack  = "ReleaseRolledBack"
	reasonUninstalled = "ReleaseUninstalled"
	reasonChanged     = "ReleaseChanged"
)

// writeRelease writes the release, and within it the objects. What keeps it from being written
// is noted.
func (a *application) writeRelease(ctx context.Context) {
	last, err := a.store.lastRevision(a.chart.Name, a.owner.GetNamespace())
	if err != nil {
		a.noteFailure(err, retryRelease)
		return
	}
	if last != nil && a.clock.Since(operationStart(last)) < maxPending {
		a.noteFailure(fmt.Errorf("revision %d is %s by another operation", last.Version, last.Info.Status), retryPending)
		return
	}
	if a.isWritten(last) {
		a.noteState(state{hash: a.hash, revision: last.Version})
		return
	}
	a.noteForeignChange(last)
	written, err := a.store.writeRevision(a.chart, a.hash, a.owner.GetNamespace(), last, func() error {
		if err := a.applyObjects(ctx); err != nil {
			return err
		}
		return firstProblem(a.out)
	})
	switch {
	case written == nil || err != nil && !a.isApplied:
		a.noteFailure(err, retryRelease)
	case err != nil && a.err == nil && firstProblem(a.out) == nil:
		a.noteFailure(err, retryRelease) // The objects are written, and the release does not show it.
	default:
		a.noteState(state{hash: a.hash, revision: written.Version, isFailed: err != nil})
	}
}

// operationStart returns when the operation of Helm began that has not ended, the zero time
// where there is none. A write in the middle of an uninstallation would make Helm fail to
// purge the history that it has read.
func operationStart(last *release.Release) time.Time {
	switch {
	case last.Info.Status.IsPending():
		return last.Info.LastDeployed
	case last.Info.Status == common.StatusUninstalling:
		return last.Info.Deleted
	default:
		return time.Time{}
	}
}

// isWritten reports whether a release that was not read since the start is the wanted one.
func (a *application) isWritten(last *release.Release) bool {
	return a.known.hash == "" && !a.isDrifted && last != nil &&
		last.Info.Status == common.StatusDeployed && last.Labels[labelHash] == a.hash
}

// noteFailure notes why the release could not be written. The known revision stays, so that
// a later try still reports changes by others.
func (a *application) noteFailure(err error, retry time.Duration) {
	failed := a.known
	failed.failure, failed.again = describeFailure(a.chart.Name, err), a.clock.Now().Add(retry)
	a.noteState(failed)
}

func (a *application) noteState(s state) {
	a.known = s
	a.memory.noteState(a.owner.GetUID(), s)
}

// describeFailure distinguishes refusals of the API server from temporary failures.
func describeFailure(name string, err error) error {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) {
		return &target.RefusedError{Kind: releaseKind, Name: name, Err: err}
	}
	return target.NewFailedError(releaseKind, name, err)
}

// noteForeignChange reports changes by others to the release that was written last.
func (a *application) noteForeignChange(last *release.Release) {
	notice := target.Notice{Warning: true}
	name := a.chart.Name
	switch {
	case last == nil && a.known.revision == 0:
		return
	case last == nil, last.Info.Status == common.StatusUninstalled, last.Info.Status == common.StatusUninstalling:
		notice.Reason = reasonUninstalled
		notice.Message = fmt.Sprintf("Release %s was uninstalled outside of Gati; it is installed again. Delete the object that owns it instead.", name)
	case last.Info.RollbackRevision > 0:
		notice.Reason = reasonRolledBack
		notice.Message = fmt.Sprintf("Release %s was rolled back to revision %d outside of Gati; it is upgraded again. %s instead.", name, last.Info.RollbackRevision, a.ownRollback())
	case a.known.revision > 0 && last.Version != a.known.revision:
		notice.Reason = reasonChanged
		notice.Message = fmt.Sprintf("Release %s was changed to revision %d outside of Gati; it is upgraded again. Change the object that owns it instead.", name, last.Version)
	default:
		return
	}
	a.out.Notices = append(a.out.Notices, notice)
}

// ownRollback is the way back that Gati does not undo.
func (a *application) ownRollback() string {
	if _, isModule := a.owner.(*v1.GatiModule); isModule {
		return "Change the object that owns it"
	}
	return "Use " + remedy.Rollback.For(a.owner.GetName()+" -n "+a.owner.GetNamespace())
}
