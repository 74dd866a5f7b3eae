package health

import "errors"

// ErrNotRunning is returned if the component has no process.
var ErrNotRunning = errors.New("not running")
