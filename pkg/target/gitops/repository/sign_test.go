package repository_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

// newSigningKey returns an armored private key, encrypted with a passphrase, and the
// public one.
func newSigningKey(t *testing.T, passphrase string) (private, public []byte) {
	t.Helper()
	entity, err := openpgp.NewEntity("Gati", "", "gati@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, serialize func(*bytes.Buffer) error) []byte {
		var plain, out bytes.Buffer
		if err := serialize(&plain); err != nil {
			t.Fatal(err)
		}
		w, err := armor.Encode(&out, kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(plain.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	public = encode(openpgp.PublicKeyType, func(b *bytes.Buffer) error { return entity.Serialize(b) })
	if err := entity.EncryptPrivateKeys([]byte(passphrase), nil); err != nil {
		t.Fatal(err)
	}
	private = encode(openpgp.PrivateKeyType, func(b *bytes.Buffer) error { return entity.SerializePrivateWithoutSigning(b, nil) })
	return private, public
}

// TestCommitsAreSigned holds that the public key verifies what git shows of a commit.
func TestCommitsAreSigned(t *testing.T) {
	p := places["https"](t)
	var public []byte
	p.access.SigningPassphrase = "open-5d0c-sesame"
	p.access.SigningKey, public = newSigningKey(t, p.access.SigningPassphrase)
	write(t, p.open(t), change("shop/users", "one"))
	text := p.bare.Git("cat-file", "commit", "main")
	before, rest, found := strings.Cut(text, "gpgsig ")
	signature, after, ended := strings.Cut(rest, "-----END PGP SIGNATURE-----\n")
	if !found || !ended {
		t.Fatalf("the commit has no signature:\n%s", text)
	}
	ring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(public))
	if err != nil {
		t.Fatal(err)
	}
	signature = strings.ReplaceAll(signature+"-----END PGP SIGNATURE-----\n", "\n ", "\n")
	if _, err := openpgp.CheckArmoredDetachedSignature(ring, strings.NewReader(before+after), strings.NewReader(signature), nil); err != nil {
		t.Errorf("the signature is not of this commit: %v\n%s", err, text)
	}
	p.access.SigningPassphrase = "wrong-5d0c-word"
	_, err = p.open(t).Write(t.Context(), change("shop/users", "two"))
	if err == nil || !strings.Contains(err.Error(), "passphrase does not open git.asc") {
		t.Errorf("a wrong passphrase: %v", err)
	}
}

// TestNoCredentialInTheRepository looks for the credentials in every object.
func TestNoCredentialInTheRepository(t *testing.T) {
	for _, name := range []string{"https", "ssh"} {
		p := places[name](t)
		p.access.SigningPassphrase = "open-5d0c-sesame"
		p.access.SigningKey, _ = newSigningKey(t, p.access.SigningPassphrase)
		write(t, p.open(t), change("shop/users", "one"))
		if found := p.bare.Grep("shop/users: one"); len(found) != 1 {
			t.Errorf("%s: the search finds the message in %v", name, found)
		}
		body := func(key []byte) string {
			lines := strings.Split(string(key), "\n")
			return lines[min(3, len(lines)-1)]
		}
		for _, secret := range []string{p.access.Password, p.access.SigningPassphrase, body(p.access.Identity), body(p.access.SigningKey)} {
			if found := p.bare.Grep(secret); secret != "" && len(found) > 0 {
				t.Errorf("%s: %q is in %v", name, secret, found)
			}
		}
	}
}
