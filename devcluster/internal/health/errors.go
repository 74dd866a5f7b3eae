package health

import "errors"

// ErrNotRunning says that there is no process to ask.
var ErrNotRunning = errors.New("not running")
