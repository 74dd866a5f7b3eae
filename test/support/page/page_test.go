package page

import "testing"

// TestWhatIsTypedAgain holds that only a first command for which a webhook had no time is.
func TestWhatIsTypedAgain(t *testing.T) {
	const late = `Error from server (InternalError): error when creating "users.yaml": Internal error occurred: failed calling webhook "validate.gati.dev": context deadline exceeded` + "\n"
	for name, tc := range map[string]struct {
		out  string
		want bool
	}{
		"a first command without an answer":        {late, true},
		"a second command without an answer":       {"gatihandler.gati.dev/users created\n" + late, false},
		"a webhook that cannot be reached":         {"Error from server (InternalError): failed calling webhook: connection refused\n", false},
		"a refusal":                                {"Error from server (Forbidden): admission webhook denied the request\n", false},
		"a command of the plugin without a server": {"error: context deadline exceeded\n", false},
	} {
		if got := isUndone(tc.out); got != tc.want {
			t.Errorf("%s: typed again is %t", name, got)
		}
	}
}
