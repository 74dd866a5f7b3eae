package version

import (
	"context"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

// Compare writes the output of "diff" for two versions of a handler. Broken callers
// are not an error.
func Compare(ctx context.Context, e *env.Env, namespace, handler, old, new string) error {
	d := &differ{env: e.In(namespace), format: output.NewFormat()}
	if err := d.run(ctx, "gh/"+handler, old, new); err != nil && !exit.IsSilent(err) {
		return err
	}
	return nil
}
