package observe

import "golang.org/x/sync/errgroup"

// together makes reads at once, and returns the first error in their order.
func together(reads ...func() error) error {
	errs := make([]error, len(reads))
	var group errgroup.Group
	for i, read := range reads {
		group.Go(func() error {
			errs[i] = read()
			return nil
		})
	}
	_ = group.Wait() // Each has its own error.
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
