package request_test

import (
	"strings"
	"testing"

	"gati.dev/gati/pkg/request"
)

const id = "3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11"

func TestParse(t *testing.T) {
	long := "v1-" + strings.Repeat("a", 125)
	tests := map[string]request.Request{
		"promote/" + id:              {Verb: request.Promote, ID: id},
		"promote:full/" + id:         {Verb: request.Promote, Argument: request.Full, ID: id},
		"pause/" + id:                {Verb: request.Pause, ID: id},
		"resume/" + id:               {Verb: request.Resume, ID: id},
		"abort/" + id:                {Verb: request.Abort, ID: id},
		"retry/" + id:                {Verb: request.Retry, ID: id},
		"rollback/" + id:             {Verb: request.Rollback, ID: id},
		"rollback:v1.2.3-rc.1/" + id: {Verb: request.Rollback, Argument: "v1.2.3-rc.1", ID: id},
		"rollback:tsv:1732186200-users-001/" + id:    {Verb: request.Rollback, Argument: "tsv:1732186200-users-001", ID: id},
		"rollback:" + long + "/" + id:                {Verb: request.Rollback, Argument: long, ID: id},
		"restart/" + id:                              {Verb: request.Restart, ID: id},
		"decommission:2/" + id:                       {Verb: request.Decommission, Argument: "2", ID: id},
		"contract/" + id:                             {Verb: request.Contract, ID: id},
		"contract:v2.0.0/" + id:                      {Verb: request.Contract, Argument: "v2.0.0", ID: id},
		"override:allow-breaking/" + id:              {Verb: request.Override, Argument: request.AllowBreaking, ID: id},
		"pause/" + strings.ToUpper(id):               {Verb: request.Pause, ID: id},
		"pause/00000000-0000-0000-0000-000000000000": {Verb: request.Pause, ID: "00000000-0000-0000-0000-000000000000"},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := request.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("got %#v, want %#v", got, want)
			}
			if !strings.EqualFold(got.String(), text) {
				t.Errorf("written again it is %q", got.String())
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := map[string]string{
		"":                      `has no slash; write the verb, a slash and a new UUID`,
		"pause":                 `has no slash`,
		"pausing/" + id:         `there is no verb "pausing"; choose one of: promote, pause,`,
		"Pause/" + id:           `there is no verb "Pause"`,
		" pause/" + id:          `there is no verb " pause"`,
		"pause:/" + id:          `pause has no argument; remove ""`,
		"pause:now/" + id:       `pause has no argument; remove "now"`,
		"promote:half/" + id:    `promote takes no "half"; write promote or promote:full`,
		"promote:/" + id:        `write promote or promote:full`,
		"decommission/" + id:    `decommission needs a version; write decommission:<version>`,
		"decommission:/" + id:   `"" is not a version`,
		"rollback:stable/" + id: `"stable" is not a version; write one such as rollback:v1.2.3`,
		"rollback:/" + id:       `"" is not a version`,
		"rollback:v1-" + strings.Repeat("a", 126) + "/" + id: `is not a version`,
		"override/" + id:                       `override needs an argument; write override:allow-breaking`,
		"override:all/" + id:                   `override takes no "all"; write override:allow-breaking`,
		"pause/":                               `"" is not a UUID; write a new one after the slash`,
		"pause/1":                              `"1" is not a UUID`,
		"pause/" + id + "/" + id:               `is not a UUID`,
		"pause/" + id + "\n":                   `is not a UUID`,
		"pause/{" + id + "}":                   `is not a UUID`,
		"pause/" + strings.Repeat("x", 100000): `is not a UUID`,
	}
	for text, want := range tests {
		_, err := request.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got error %v, want one that says %q", text, err, want)
			continue
		}
		if len(err.Error()) > 500 || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%.60q: the error does not fit a line: %s", text, err)
		}
	}
}

// A parsed request can be written, and is then parsed to the same value.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"promote:full/" + id, "rollback:tsv:1732186200-users-001/" + id, "decommission:v1/" + id, "override:allow-breaking/" + id, "pause:/", ":/", "/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := request.Parse(text)
		if err != nil {
			return
		}
		again, err := request.Parse(r.String())
		if err != nil || again != r {
			t.Errorf("%q is %#v, written again it is %#v (%v)", text, r, again, err)
		}
		if !strings.EqualFold(r.String(), text) {
			t.Errorf("%q is written as %q", text, r)
		}
	})
}
