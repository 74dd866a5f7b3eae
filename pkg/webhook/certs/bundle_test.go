package certs

import (
	"strings"
	"testing"
	"time"
)

func TestParseBundle(t *testing.T) {
	a, b := newCA(t, "a", time.Now()), newCA(t, "b", time.Now())
	two := string(Bundle{a.certificate, b.certificate}.PEM())
	tests := map[string]struct {
		data string
		want int
		err  string
	}{
		"nothing":              {data: "", want: 0},
		"white space":          {data: " \n", want: 0},
		"two":                  {data: two, want: 2},
		"text after it":        {data: two + "x", err: "not PEM"},
		"text":                 {data: "x", err: "not PEM"},
		"a key":                {data: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", err: `type "PRIVATE KEY"`},
		"a broken certificate": {data: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", err: "cannot be read"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseBundle([]byte(tc.data))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got error %v, want one that says %q", err, tc.err)
				}
				return
			}
			if err != nil || len(got) != tc.want {
				t.Fatalf("got %d certificates and error %v, want %d", len(got), err, tc.want)
			}
			if string(got.PEM()) != strings.TrimSpace(tc.data)+trailing(tc.data) {
				t.Error("written again it is something else")
			}
		})
	}
}

func trailing(data string) string {
	if strings.TrimSpace(data) == "" {
		return ""
	}
	return "\n"
}

func TestSigned(t *testing.T) {
	ours, others := newCA(t, "ours", time.Now()), newCA(t, "others", time.Now())
	leaf := leafOf(t, ours, time.Now(), time.Hour).Leaf
	tests := map[string]struct {
		bundle Bundle
		want   bool
	}{
		"nothing":    {nil, false},
		"by ours":    {Bundle{ours.certificate}, true},
		"by one":     {Bundle{others.certificate, ours.certificate}, true},
		"by no one":  {Bundle{others.certificate}, false},
		"not itself": {Bundle{leaf}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.bundle.HasSigned(leaf); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
