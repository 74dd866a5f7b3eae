// Package exit holds the exit codes of the plugin and the errors that lead to
// them. They are an interface: scripts branch on them.
//
// The package must not know of any command, nor end the process: that is
// main's.
package exit

import (
	"context"
	"errors"
	"fmt"
)

// The exit codes. They are the same whatever -o says.
const (
	OK          = 0
	Error       = 1
	Usage       = 2
	Unhealthy   = 3
	Paused      = 4
	Timeout     = 5
	Interrupted = 130
)

// Help documents the codes for the root command's help.
const Help = `Exit codes:
  0    success; with names, every named object is healthy, or the condition waited
       for holds
  1    an error, such as an unreachable server or an object that does not exist
  2    invalid usage
  3    a named object is not healthy, a rollout failed or was rolled back, a condition
       waited for cannot be reached, or a check of a manifest failed
  4    a rollout is paused and continues only on request
  5    the server or the wait timed out
  130  interrupted`

// coded is an error with its exit code.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

// With gives an error an exit code. It returns nil for nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return coded{err, code}
}

// Usagef makes an error of wrong usage.
func Usagef(format string, args ...any) error {
	return With(Usage, fmt.Errorf(format, args...))
}

// IsUsage reports whether an error is one of wrong usage.
func IsUsage(err error) bool {
	c, ok := errors.AsType[coded](err)
	return ok && c.code == Usage
}

// silent is an error whose explanation is printed already.
type silent struct{ code int }

func (s silent) Error() string { return fmt.Sprintf("exit code %d", s.code) }

// Silent ends the command with a code and says nothing more.
func Silent(code int) error { return silent{code} }

// IsSilent reports whether the command has said everything itself.
func IsSilent(err error) bool {
	_, ok := errors.AsType[silent](err)
	return ok
}

// Code returns the exit code that an error leads to. What ended because ctx was
// interrupted counts as that, whatever the error says.
func Code(ctx context.Context, err error) int {
	if err == nil {
		return OK
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return Interrupted
	}
	if s, ok := errors.AsType[silent](err); ok {
		return s.code
	}
	if c, ok := errors.AsType[coded](err); ok {
		return c.code
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	return Error
}

// Parts takes an error that joins others apart, so that each is printed on a line
// of its own.
func Parts(err error) []error {
	if c, ok := err.(coded); ok { //nolint:errorlint // what wraps a coded error has words of its own, which must not be lost
		return Parts(c.error)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var parts []error
	for _, one := range joined.Unwrap() {
		parts = append(parts, Parts(one)...)
	}
	return parts
}
