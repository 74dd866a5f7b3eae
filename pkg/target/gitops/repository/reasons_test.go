package repository_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/pkg/target/gitops/repository"
)

// fault is a way in which a repository cannot be written.
type fault struct {
	want v1.ConditionReason
	// says is a part of the message.
	says string
	at   func(*testing.T) place
}

// overHTTPS and overSSH serve a repository that a fault then spoils.
func overHTTPS(spoil func(*testing.T, *gittest.HTTPS, *place)) func(*testing.T) place {
	return func(t *testing.T) place {
		bare := gittest.NewBare(t)
		bare.Seed("main", "Begin", map[string]string{"README.md": "plans"})
		s := gittest.ServeHTTPS(t, bare)
		p := place{bare, s.CloneURL(), repository.Access{Username: s.Username, Password: s.Password, CA: s.CA()}}
		spoil(t, s, &p)
		return p
	}
}

func overSSH(spoil func(*testing.T, *gittest.SSH, *place)) func(*testing.T) place {
	return func(t *testing.T) place {
		bare := gittest.NewBare(t)
		s := gittest.ServeSSH(t, bare)
		p := place{bare, s.CloneURL(), repository.Access{Identity: s.Identity, KnownHosts: s.KnownHosts()}}
		spoil(t, s, &p)
		return p
	}
}

// hook has the repository refuse pushes with a text.
func hook(t *testing.T, bare *gittest.Bare, text string) {
	t.Helper()
	script := "#!/bin/sh\necho '" + text + "' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bare.Path, "hooks", "pre-receive"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

var faults = map[string]fault{
	"no repository at the URL": {v1.ReasonRepositoryMissing, "not found", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) {
		p.url = strings.Replace(p.url, "plans", "none", 1)
	})},
	"no repository over ssh": {v1.ReasonRepositoryMissing, "create it", overSSH(func(_ *testing.T, _ *gittest.SSH, p *place) { p.url += "none" })},
	"a wrong branch": {v1.ReasonBranchMissing, "there is no main; there is trunk", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) {
		p.bare.Git("branch", "-m", "main", "trunk")
	})},
	"a wrong branch in a folder": {v1.ReasonBranchMissing, "there is no main; there is old, trunk", func(t *testing.T) place {
		p := places["file"](t)
		p.bare.Seed("old", "Begin", map[string]string{"README.md": "plans"})
		p.bare.Git("pack-refs", "--all")
		p.bare.Seed("trunk", "Begin", map[string]string{"README.md": "plans"})
		return p
	}},
	"a wrong password": {v1.ReasonCredentialsRefused, "renew", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) { p.access.Password = "other-9e2b7-word" })},
	"a token that is not known": {v1.ReasonCredentialsRefused, "renew", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) {
		p.access.Password, p.access.Token = "", "token-77c1f0"
	})},
	"a token that may only read": {v1.ReasonRepositoryReadOnly, "Write access to repository not granted", overHTTPS(func(_ *testing.T, s *gittest.HTTPS, _ *place) {
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("service") == "git-receive-pack" {
				http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
				return true
			}
			return false
		})
	})},
	"a server that fails": {v1.ReasonRepositoryDown, "503", overHTTPS(func(_ *testing.T, s *gittest.HTTPS, _ *place) {
		s.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return true
		})
	})},
	"a server that is gone":      {v1.ReasonRepositoryDown, "connection refused", overHTTPS(func(_ *testing.T, s *gittest.HTTPS, _ *place) { s.Close() })},
	"an ssh server that is gone": {v1.ReasonRepositoryDown, "connection refused", overSSH(func(_ *testing.T, s *gittest.SSH, _ *place) { s.Close() })},
	"an unknown authority":       {v1.ReasonCertificateUnknown, "ca.crt", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) { p.access.CA = nil })},
	"a CA that is none":          {v1.ReasonSecretInvalid, "ca.crt has no certificate", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) { p.access.CA = []byte("none") })},
	"a hook that refuses": {v1.ReasonPushRefused, "main is frozen", overHTTPS(func(t *testing.T, _ *gittest.HTTPS, p *place) {
		hook(t, p.bare, "main is frozen")
	})},
	"a hook that refuses, over ssh": {v1.ReasonPushRefused, "main is frozen", overSSH(func(t *testing.T, _ *gittest.SSH, p *place) {
		hook(t, p.bare, "main is frozen")
	})},
	"a full disk of the server": {v1.ReasonRepositoryFull, "make room", overHTTPS(func(t *testing.T, _ *gittest.HTTPS, p *place) {
		hook(t, p.bare, "fatal: sha1 file write error: No space left on device")
	})},
	"no key of the host": {v1.ReasonHostKeyUnknown, "add it to known_hosts", overSSH(func(t *testing.T, _ *gittest.SSH, p *place) {
		p.access.KnownHosts = gittest.ServeSSH(t, gittest.NewBare(t)).KnownHosts()
	})},
	"no known hosts":           {v1.ReasonHostKeyUnknown, "the Secret has no known_hosts", overSSH(func(_ *testing.T, _ *gittest.SSH, p *place) { p.access.KnownHosts = nil })},
	"another key of the host":  {v1.ReasonHostKeyChanged, "check the host", overSSH(func(_ *testing.T, s *gittest.SSH, p *place) { p.access.KnownHosts = s.WrongHosts() })},
	"known hosts of no form":   {v1.ReasonSecretInvalid, "known_hosts", overSSH(func(_ *testing.T, _ *gittest.SSH, p *place) { p.access.KnownHosts = []byte("host ssh-ed25519 none\n") })},
	"a read-only key":          {v1.ReasonRepositoryReadOnly, "marked as read only", overSSH(func(_ *testing.T, s *gittest.SSH, _ *place) { s.ReadOnly = true })},
	"an unknown key":           {v1.ReasonCredentialsRefused, "unable to authenticate", overSSH(func(t *testing.T, _ *gittest.SSH, p *place) { p.access.Identity = gittest.NewIdentity(t) })},
	"no key":                   {v1.ReasonSecretInvalid, "set identity", overSSH(func(_ *testing.T, _ *gittest.SSH, p *place) { p.access.Identity = nil })},
	"a key of no form":         {v1.ReasonSecretInvalid, "not a private key", overSSH(func(_ *testing.T, _ *gittest.SSH, p *place) { p.access.Identity = []byte("none") })},
	"a signing key of no form": {v1.ReasonSecretInvalid, "git.asc", overHTTPS(func(_ *testing.T, _ *gittest.HTTPS, p *place) { p.access.SigningKey = []byte("none") })},
}

// TestEachFaultHasItsReason holds one reason and one remedy for each way in which a
// repository cannot be written, that the text is the same with each try, and that it
// holds no credential.
func TestEachFaultHasItsReason(t *testing.T) {
	for name, tc := range faults {
		t.Run(name, func(t *testing.T) {
			p := tc.at(t)
			_, err := p.open(t).Write(t.Context(), change("shop/users", "one"))
			got := (*repository.Error)(nil)
			if !errors.As(err, &got) || got.Reason != tc.want || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), p.url+", branch main: ") {
				t.Fatalf("want %s with %q, have %+v", tc.want, tc.says, err)
			}
			if _, again := p.open(t).Write(t.Context(), change("shop/users", "one")); again == nil || again.Error() != err.Error() {
				t.Errorf("the text changes from\n%s to\n%v", err, again)
			}
			checkNoSecret(t, p.access, err.Error())
		})
	}
}

// checkNoSecret looks for credentials in a text.
func checkNoSecret(t *testing.T, a repository.Access, text string) {
	t.Helper()
	for _, secret := range []string{a.Password, a.Token, string(a.Identity), string(a.SigningKey), a.SigningPassphrase} {
		if secret != "" && strings.Contains(text, secret) {
			t.Errorf("%q has the credential %q", text, secret)
		}
	}
}

// TestSettingsThatAreRefused holds what is no address or branch.
func TestSettingsThatAreRefused(t *testing.T) {
	for url, branch := range map[string]string{
		"http://git.example.com/plans.git":          "main",
		"git://git.example.com/plans.git":           "main",
		"/var/plans.git":                            "main",
		"https://gati:secret@git.example.com/plans": "main",
		"https://git.example.com/plans.git":         "",
		"https://git.example.com/plans":             "a..b",
	} {
		_, err := repository.New(repository.Settings{URL: url, Branch: branch})
		if got := (*repository.Error)(nil); !errors.As(err, &got) || got.Reason != v1.ReasonRepositoryInvalid || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s %s: %v", url, branch, err)
		}
	}
}

// TestAMissingSecret holds that an error of whoever reads the credentials is passed on.
func TestAMissingSecret(t *testing.T) {
	r, err := repository.New(repository.Settings{URL: "https://git.example.com/plans", Branch: "main", Clock: clock.RealClock{}, Access: func(context.Context) (repository.Access, error) {
		return repository.Access{}, &repository.Error{Reason: v1.ReasonSecretMissing, Err: errors.New("Secret gati-system/git does not exist")}
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Write(t.Context(), change("shop/users", "one"))
	want := "Git repository https://git.example.com/plans, branch main: the Secret with its credentials is missing; create it (Secret gati-system/git does not exist)"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
}

// TestKeysOfSecrets holds which keys of Secrets are read: Flux's and the built-in types'.
func TestKeysOfSecrets(t *testing.T) {
	flux := repository.NewAccess(map[string][]byte{"username": []byte("u"), "password": []byte("p"), "bearerToken": []byte("b"), "ca.crt": []byte("c"), "identity": []byte("i"), "known_hosts": []byte("k")},
		map[string][]byte{"git.asc": []byte("g"), "passphrase": []byte("f")})
	got := []string{flux.Username, flux.Password, flux.Token, string(flux.CA), string(flux.Identity), string(flux.KnownHosts), string(flux.SigningKey), flux.SigningPassphrase}
	if !slices.Equal(got, []string{"u", "p", "b", "c", "i", "k", "g", "f"}) {
		t.Errorf("read as %q", got)
	}
	if builtIn := repository.NewAccess(map[string][]byte{"ssh-privatekey": []byte("i")}, nil); string(builtIn.Identity) != "i" {
		t.Errorf("kubernetes.io/ssh-auth is read as %q", builtIn.Identity)
	}
}
