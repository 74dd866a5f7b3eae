package ask

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/request"
)

// TestAnswered holds that only a yes is one.
func TestAnswered(t *testing.T) {
	for text, meant := range map[string]bool{"y\n": true, "Yes\n": true, " yes \n": true, "y": true, "\n": false, "": false, "n\n": false, "yeah\n": false} {
		var errs bytes.Buffer
		err := readAnswer(&env.Env{Streams: genericiooptions.IOStreams{In: strings.NewReader(text), ErrOut: &errs}}, "gh/users: abort")
		if meant != (err == nil) || err != nil && !errors.Is(err, errCancelled) {
			t.Errorf("%q: %v", text, err)
		}
		if errs.String() != "gh/users: abort\nContinue? [y/N] " {
			t.Errorf("asks %q", errs.String())
		}
	}
}

// TestNobodyToAsk holds that without a terminal nothing is read, and nothing passes but --yes.
func TestNobodyToAsk(t *testing.T) {
	var errs bytes.Buffer
	e := &env.Env{Streams: genericiooptions.IOStreams{In: strings.NewReader("y\n"), Out: &bytes.Buffer{}, ErrOut: &errs}}
	if err := (&Confirmation{}).Ask(e, "gh/a: restart"); !errors.Is(err, ErrNoTerminal) || errs.String() != "gh/a: restart\n" {
		t.Errorf("%v, %q", err, errs.String())
	}
	if err := (&Confirmation{yes: true}).Ask(e, "gh/a: restart"); err != nil {
		t.Error(err)
	}
}

// TestWeighty holds what is asked about: what moves traffic or ends pods at once.
func TestWeighty(t *testing.T) {
	for verb, want := range map[request.Verb]bool{
		request.Pause: false, request.Resume: false, request.Promote: false,
		request.Abort: true, request.Retry: true, request.Rollback: true, request.Restart: true, request.Decommission: true, request.Contract: true,
	} {
		if got := needsConfirmation(request.Request{Verb: verb}); got != want {
			t.Errorf("%s: %t", verb, got)
		}
	}
	if !needsConfirmation(request.Request{Verb: request.Promote, Argument: request.Full}) {
		t.Error("promote --full skips every check, and is not asked about")
	}
}
