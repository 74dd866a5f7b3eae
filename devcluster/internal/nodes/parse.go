package nodes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSimulated is how many pod ranges of their own there are; see podRange.
const maxSimulated = 512

// errForm tells what --nodes takes.
var errForm = fmt.Errorf("--nodes takes none or kwok:N with N from 1 to %d", maxSimulated)

// Parse returns the provider for a value of --nodes.
func Parse(value string) (Provider, error) {
	kind, number, counted := strings.Cut(value, ":")
	switch {
	case value == "none":
		return none{}, nil
	case value == "real":
		return nil, errors.New("--nodes real is not available yet; use --nodes kwok:N")
	case kind == "kwok" && counted:
		count, err := strconv.Atoi(number)
		if err != nil || count < 1 || count > maxSimulated {
			return nil, fmt.Errorf("%w, not %q", errForm, value)
		}
		return kwok{count: count}, nil
	}
	return nil, fmt.Errorf("%w, not %q", errForm, value)
}
