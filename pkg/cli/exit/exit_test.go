package exit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gati.dev/gati/pkg/cli/exit"
)

func TestCode(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	cases := map[string]struct {
		ctx  context.Context
		err  error
		want int
	}{
		"nothing wrong":            {t.Context(), nil, exit.OK},
		"nothing wrong, cancelled": {interrupted, nil, exit.OK},
		"any error":                {t.Context(), errors.New("x"), exit.Error},
		"usage":                    {t.Context(), exit.Usagef("x"), exit.Usage},
		"usage, wrapped":           {t.Context(), fmt.Errorf("x: %w", exit.Usagef("y")), exit.Usage},
		"silent":                   {t.Context(), exit.Silent(exit.Unhealthy), exit.Unhealthy},
		"out of time":              {t.Context(), fmt.Errorf("x: %w", context.DeadlineExceeded), exit.Timeout},
		"interrupted":              {interrupted, exit.Usagef("x"), exit.Interrupted},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := exit.Code(tc.ctx, tc.err); got != tc.want {
				t.Errorf("Code(%v) = %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

func TestParts(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), fmt.Errorf("c: %w", errors.New("d"))
	got := exit.Parts(exit.With(exit.Unhealthy, errors.Join(a, errors.Join(b, exit.With(exit.Usage, c)))))
	if want := []error{a, b, c}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
