package repository

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"

	v1 "gati.dev/gati/api/v1"
)

// connectTimeout bounds how long a connection may take to be made.
const connectTimeout = 15 * time.Second

// Access has the credentials of a repository. Its fields never enter a message.
type Access struct {
	// Username and Password, or Token alone, are for https; CA is trusted beside the
	// authorities of the operator and of the system.
	Username, Password, Token string
	CA                        []byte
	// Identity is a private key for ssh, encrypted where Passphrase is set. KnownHosts are
	// the keys of servers.
	Identity   []byte
	Passphrase string
	KnownHosts []byte
	// SigningKey is an armored private key of OpenPGP that signs commits.
	SigningKey        []byte
	SigningPassphrase string
}

// keys of Secrets, as Flux and the built-in types of Secrets have them.
const (
	keyUsername   = "username"
	keyPassword   = "password"
	keyToken      = "bearerToken"
	keyCA         = "ca.crt"
	keyIdentity   = "identity"
	keySSHAuth    = "ssh-privatekey"
	keyKnownHosts = "known_hosts"
	keySigning    = "git.asc"
	keyPassphrase = "passphrase"
)

// NewAccess returns the credentials of two Secrets: the one of the repository and the
// one with the key that signs. Both may be empty.
func NewAccess(repository, signing map[string][]byte) Access {
	identity := repository[keyIdentity]
	if len(identity) == 0 {
		identity = repository[keySSHAuth]
	}
	return Access{
		Username: string(repository[keyUsername]), Password: string(repository[keyPassword]),
		Token: string(repository[keyToken]), CA: repository[keyCA],
		Identity: identity, Passphrase: string(repository[keyPassword]), KnownHosts: repository[keyKnownHosts],
		SigningKey: signing[keySigning], SigningPassphrase: string(signing[keyPassphrase]),
	}
}

// connectTo returns what speaks to an endpoint with these credentials.
func (a Access) connectTo(to *transport.Endpoint) (transport.Transport, transport.AuthMethod, error) {
	if to.Protocol == "ssh" {
		auth, err := a.sshAuth(to)
		return gitssh.NewClient(nil), auth, err
	}
	client, err := a.httpClient()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case a.Token != "":
		return client, &githttp.TokenAuth{Token: a.Token}, nil
	case a.Password != "":
		return client, &githttp.BasicAuth{Username: a.Username, Password: a.Password}, nil
	}
	return client, nil, nil
}

func (a Access) httpClient() (transport.Transport, error) {
	t, err := a.httpTransport()
	if err != nil {
		return nil, err
	}
	return githttp.NewClient(&http.Client{Transport: t}), nil
}

// httpTransport trusts the default transport's authorities, where the operator's ca-file is,
// and those of the Secret.
func (a Access) httpTransport() (*http.Transport, error) {
	roots, err := trustedRoots()
	if err != nil {
		return nil, err
	}
	if len(a.CA) > 0 && !roots.AppendCertsFromPEM(a.CA) {
		return nil, &Error{Reason: v1.ReasonSecretInvalid, Err: fmt.Errorf("%s has no certificate", keyCA)}
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:   true, // Two requests a minute are not worth an open connection.
	}, nil
}

// trustedRoots returns a copy of the authorities of the default transport, or of the system.
func trustedRoots() (*x509.CertPool, error) {
	if t, ok := http.DefaultTransport.(*http.Transport); ok && t.TLSClientConfig != nil && t.TLSClientConfig.RootCAs != nil {
		return t.TLSClientConfig.RootCAs.Clone(), nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificate authorities: %w", err)
	}
	return roots, nil
}

// timedKeys bounds how long the connection takes, which go-git leaves open.
type timedKeys struct{ *gitssh.PublicKeys }

func (k timedKeys) ClientConfig() (*ssh.ClientConfig, error) {
	config, err := k.PublicKeys.ClientConfig()
	if err == nil {
		config.Timeout = connectTimeout
	}
	return config, err
}

func (a Access) sshAuth(to *transport.Endpoint) (transport.AuthMethod, error) {
	if len(a.Identity) == 0 {
		return nil, &Error{Reason: v1.ReasonSecretInvalid, Err: fmt.Errorf("it has no private key: set %s", keyIdentity)}
	}
	if len(a.KnownHosts) == 0 {
		return nil, &Error{Reason: v1.ReasonHostKeyUnknown, Err: fmt.Errorf("the Secret has no %s", keyKnownHosts)}
	}
	user := to.User
	if user == "" {
		user = gitssh.DefaultUsername
	}
	keys, err := gitssh.NewPublicKeys(user, a.Identity, a.Passphrase)
	if err != nil {
		return nil, &Error{Reason: v1.ReasonSecretInvalid, Err: fmt.Errorf("%s is not a private key that can be read: %w", keyIdentity, err)}
	}
	if err := a.setHostKeys(keys, to); err != nil {
		return nil, &Error{Reason: v1.ReasonSecretInvalid, Err: fmt.Errorf("%s: %w", keyKnownHosts, err)}
	}
	return timedKeys{keys}, nil
}

// setHostKeys has a connection accept the known hosts alone. The library reads a file.
func (a Access) setHostKeys(keys *gitssh.PublicKeys, to *transport.Endpoint) error {
	file, err := os.CreateTemp("", "known_hosts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(file.Name())
	_, err = file.Write(a.KnownHosts)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	known, err := gitssh.NewKnownHostsDb(file.Name())
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), file.Name(), "line"))
	}
	port := to.Port
	if port == 0 {
		port = gitssh.DefaultPort
	}
	keys.HostKeyCallback = known.HostKeyCallback()
	keys.HostKeyAlgorithms = known.HostKeyAlgorithms(net.JoinHostPort(to.Host, strconv.Itoa(port)))
	return nil
}

// signer signs commits; the zero value signs none.
type signer struct{ key *openpgp.Entity }

func (a Access) newSigner() (signer, error) {
	if len(a.SigningKey) == 0 {
		return signer{}, nil
	}
	ring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(a.SigningKey))
	if err != nil || len(ring) == 0 || ring[0].PrivateKey == nil {
		return signer{}, &Error{Reason: v1.ReasonSecretInvalid, Err: fmt.Errorf("%s has no armored private key of OpenPGP", keySigning)}
	}
	if ring[0].PrivateKey.Encrypted {
		if err := ring[0].DecryptPrivateKeys([]byte(a.SigningPassphrase)); err != nil {
			return signer{}, &Error{Reason: v1.ReasonSecretInvalid, Err: fmt.Errorf("%s does not open %s", keyPassphrase, keySigning)}
		}
	}
	return signer{ring[0]}, nil
}

func (s signer) signCommit(commit *object.Commit) error {
	if s.key == nil {
		return nil
	}
	encoded := &plumbing.MemoryObject{}
	if err := commit.EncodeWithoutSignature(encoded); err != nil {
		return fmt.Errorf("encode a commit: %w", err)
	}
	text, err := encoded.Reader()
	if err != nil {
		return fmt.Errorf("encode a commit: %w", err)
	}
	var signature bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&signature, s.key, text, nil); err != nil {
		return fmt.Errorf("sign a commit: %w", err)
	}
	commit.PGPSignature = signature.String() + "\n"
	return nil
}

// redactSecrets removes credentials from the text of a server.
func (a Access) redactSecrets(text string) string {
	for _, secret := range []string{a.Password, a.Token, a.SigningPassphrase} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}
