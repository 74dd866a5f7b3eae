package repository

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh/knownhosts"

	v1 "gati.dev/gati/api/v1"
)

// remedies are the problem and the next step for each reason.
var remedies = map[v1.ConditionReason]string{
	v1.ReasonRepositoryInvalid:  "its settings are invalid; correct the flags of gati-webhook",
	v1.ReasonRepositoryMissing:  "it does not exist, or the credentials may not see it; create it, or correct the URL",
	v1.ReasonRepositoryDown:     "it does not answer, and is tried again",
	v1.ReasonRepositoryReadOnly: "the credentials may not write to it; give them the right to push",
	v1.ReasonRepositoryFull:     "no space is left on its disk; make room",
	v1.ReasonRepositoryBusy:     "other writers push without a pause; it is tried again",
	v1.ReasonBranchMissing:      "it has no such branch; create the branch, or name another one",
	v1.ReasonPushRefused:        "it refuses the push; allow the author to push to this branch",
	v1.ReasonFolderTaken:        "others have files in the folder; move them, or choose another path",
	v1.ReasonSecretMissing:      "the Secret with its credentials is missing; create it",
	v1.ReasonSecretInvalid:      "the Secret with its credentials cannot be used; correct it",
	v1.ReasonCredentialsRefused: "it refuses the credentials; renew those in the Secret",
	v1.ReasonHostKeyUnknown:     "the key of its host is unknown; add it to known_hosts in the Secret",
	v1.ReasonHostKeyChanged:     "its host has another key than known_hosts in the Secret; check the host, then correct the Secret",
	v1.ReasonCertificateUnknown: "an unknown authority signed its certificate; add that authority to ca.crt in the Secret",
}

// Error is why a repository could not be written.
type Error struct {
	Reason v1.ConditionReason
	// URL and Branch name it.
	URL, Branch string
	Err         error
}

func (e *Error) Error() string {
	return fmt.Sprintf("Git repository %s, branch %s: %s (%s)", e.URL, e.Branch, remedies[e.Reason], e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func newBranchError(branch plumbing.ReferenceName, others []string) *Error {
	slices.Sort(others)
	if len(others) > 5 {
		others = append(others[:5], "…")
	}
	return &Error{Reason: v1.ReasonBranchMissing, Err: fmt.Errorf("there is no %s; there is %s", branch.Short(), strings.Join(others, ", "))}
}

// explainFailure gives an error its reason, and a text without credentials that stays the same
// with each try.
func (r *Repository) explainFailure(access Access, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{}
	if !errors.As(err, &e) {
		e = &Error{Reason: classifyError(err), Err: err}
	}
	return &Error{Reason: e.Reason, URL: r.settings.URL, Branch: r.settings.Branch, Err: &quoted{tidyText(access.redactSecrets(e.Err.Error())), e.Err}}
}

// quoted is an error with another text.
type quoted struct {
	text string
	err  error
}

func (q *quoted) Error() string { return q.text }

func (q *quoted) Unwrap() error { return q.err }

// maxText bounds the quoted text of a server.
const maxText = 300

var (
	changing  = regexp.MustCompile(`(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d+->`)
	unwanted  = regexp.MustCompile(`[^[:print:]]+`)
	wideSpace = regexp.MustCompile(`\s+`)
)

// tidyText returns a text of a server as one line of bounded length.
func tidyText(text string) string {
	text = changing.ReplaceAllString(text, "")
	text = wideSpace.ReplaceAllString(text, " ")
	text = unwanted.ReplaceAllString(text, "")
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.TrimSpace(text)
}

// sentinels are errors that name the reason themselves.
var sentinels = []struct {
	err    error
	reason v1.ConditionReason
}{
	{transport.ErrRepositoryNotFound, v1.ReasonRepositoryMissing},
	{transport.ErrAuthenticationRequired, v1.ReasonCredentialsRefused},
	{transport.ErrAuthorizationFailed, v1.ReasonRepositoryReadOnly},
	{transport.ErrInvalidAuthMethod, v1.ReasonSecretInvalid},
	{syscall.ENOSPC, v1.ReasonRepositoryFull},
	{syscall.EDQUOT, v1.ReasonRepositoryFull},
	{syscall.EROFS, v1.ReasonRepositoryReadOnly},
	{fs.ErrPermission, v1.ReasonRepositoryReadOnly},
	{context.DeadlineExceeded, v1.ReasonRepositoryDown},
}

// phrases are parts of servers' messages, in lower case. The first match decides.
var phrases = []struct {
	text   string
	reason v1.ConditionReason
}{
	{"no space left", v1.ReasonRepositoryFull},
	{"disk quota", v1.ReasonRepositoryFull},
	{"disk full", v1.ReasonRepositoryFull},
	{"read only", v1.ReasonRepositoryReadOnly},
	{"read-only", v1.ReasonRepositoryReadOnly},
	{"write access", v1.ReasonRepositoryReadOnly},
	{"not allowed to push", v1.ReasonRepositoryReadOnly},
	{"not allowed to upload", v1.ReasonRepositoryReadOnly},
	{"insufficient permission", v1.ReasonRepositoryReadOnly},
	{"unable to authenticate", v1.ReasonCredentialsRefused},
	{"hook declined", v1.ReasonPushRefused},
	{"protected branch", v1.ReasonPushRefused},
	{"command error on", v1.ReasonPushRefused},
	{"unpack error", v1.ReasonPushRefused},
}

// classifyError returns the reason of an error of the library or of a server.
func classifyError(err error) v1.ConditionReason {
	if key := (*knownhosts.KeyError)(nil); errors.As(err, &key) {
		if len(key.Want) > 0 {
			return v1.ReasonHostKeyChanged
		}
		return v1.ReasonHostKeyUnknown
	}
	if unknown := (x509.UnknownAuthorityError{}); errors.As(err, &unknown) {
		return v1.ReasonCertificateUnknown
	}
	text := strings.ToLower(err.Error())
	for _, p := range phrases {
		if strings.Contains(text, p.text) {
			return p.reason
		}
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return s.reason
		}
	}
	return v1.ReasonRepositoryDown
}
