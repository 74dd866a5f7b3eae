package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
)

// errNoCRDs means that the server does not know the Gati kinds.
var errNoCRDs = errors.New("the Gati CRDs are not installed in this cluster; to install them: " + string(remedy.Install))

// Explain turns the error of a request into one line with its remedy.
func Explain(err error) error {
	var unreachable *url.Error
	switch {
	case err == nil:
		return nil
	case notServed(err):
		return errNoCRDs
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the server rejected your credentials (%w)", err)
	case timedOut(err):
		return exit.With(exit.Timeout, errors.New("the server did not answer in time; see --request-timeout"))
	case errors.As(err, &unreachable):
		return fmt.Errorf("cannot reach the server %s: %w", hostOf(unreachable.URL), rootCause(unreachable))
	default:
		return err
	}
}

// reasonFor says in a word or two why a list could not be read.
func reasonFor(err error) string {
	switch {
	case apierrors.IsForbidden(err):
		return "forbidden"
	case notServed(err):
		return "not served by this cluster"
	case timedOut(err):
		return "no answer in time"
	default:
		return Explain(err).Error()
	}
}

// NotServed reports whether the server does not know the requested kind.
func NotServed(err error) bool { return notServed(err) }

// notServed distinguishes an unknown kind from a missing object: for an unknown kind the
// answer does not come from the API machinery.
func notServed(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) {
		return false
	}
	details := status.Status().Details
	if details == nil {
		return true
	}
	for _, cause := range details.Causes {
		if cause.Type == metav1.CauseTypeUnexpectedServerResponse {
			return true
		}
	}
	return false
}

func timedOut(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err) {
		return true
	}
	// A refused connection is a net.Error as well; only Timeout tells.
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Host
}

// rootCause drops the layers that only repeat the address.
func rootCause(err *url.Error) error {
	if op, ok := errors.AsType[*net.OpError](err.Err); ok {
		return op.Err
	}
	return err.Err
}
