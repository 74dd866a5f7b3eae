package gittest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSH serves a bare repository to one key.
type SSH struct {
	t        *testing.T
	bare     *Bare
	listener net.Listener
	config   *ssh.ServerConfig
	host     ssh.Signer
	client   ssh.PublicKey
	conns    sync.WaitGroup
	// Identity is the private key that may log in.
	Identity []byte
	// ReadOnly has the server refuse pushes, as the hosts of Git do with such a key.
	ReadOnly bool
}

// ServeSSH serves a bare repository until the test ends.
func ServeSSH(t *testing.T, b *Bare) *SSH {
	t.Helper()
	s := &SSH{t: t, bare: b}
	s.host, _ = newKey(t)
	client, private := newKey(t)
	s.client, s.Identity = client.PublicKey(), private
	s.config = &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if !bytes.Equal(key.Marshal(), s.client.Marshal()) {
			return nil, errors.New("unknown key")
		}
		return nil, nil
	}}
	s.config.AddHostKey(s.host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.listener = listener
	s.conns.Add(1)
	go s.accept()
	t.Cleanup(s.Close)
	return s
}

func newKey(t *testing.T) (ssh.Signer, []byte) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, pem.EncodeToMemory(block)
}

// NewIdentity returns a private key that no server knows.
func NewIdentity(t *testing.T) []byte {
	t.Helper()
	_, private := newKey(t)
	return private
}

// CloneURL returns the address of the repository.
func (s *SSH) CloneURL() string { return "ssh://git@" + s.listener.Addr().String() + s.bare.Path }

// KnownHosts returns the line of the server.
func (s *SSH) KnownHosts() []byte { return s.knownHosts(s.host.PublicKey()) }

// WrongHosts returns a line of the server with another key.
func (s *SSH) WrongHosts() []byte {
	other, _ := newKey(s.t)
	return s.knownHosts(other.PublicKey())
}

func (s *SSH) knownHosts(key ssh.PublicKey) []byte {
	return []byte(knownhosts.Line([]string{s.listener.Addr().String()}, key) + "\n")
}

// Close ends the server.
func (s *SSH) Close() {
	s.listener.Close()
	s.conns.Wait()
}

func (s *SSH) accept() {
	defer s.conns.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.conns.Add(1)
		go func() {
			defer s.conns.Done()
			s.serve(conn)
			_ = conn.Close()
		}()
	}
}

func (s *SSH) serve(conn net.Conn) {
	_, channels, requests, err := ssh.NewServerConn(conn, s.config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, asked, err := offered.Accept()
		if err != nil {
			return
		}
		for request := range asked {
			if request.Type != "exec" {
				_ = request.Reply(false, nil)
				continue
			}
			_ = request.Reply(true, nil)
			var command struct{ Line string }
			_ = ssh.Unmarshal(request.Payload, &command)
			code := s.exec(command.Line, channel)
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
			_ = channel.Close()
		}
	}
}

// exec runs the one command that a client of Git asks for.
func (s *SSH) exec(line string, channel ssh.Channel) uint32 {
	verb, path, _ := strings.Cut(line, " ")
	if s.ReadOnly && verb == "git-receive-pack" {
		_, _ = io.WriteString(channel.Stderr(), "ERROR: The key you are authenticating with has been marked as read only.\n")
		return 1
	}
	cmd := exec.Command("git", strings.TrimPrefix(verb, "git-"), strings.Trim(path, "'"))
	cmd.Env = []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "PATH=/usr/bin:/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
	go func() {
		_, _ = io.Copy(stdin, channel)
		stdin.Close()
	}()
	if cmd.Run() != nil {
		return 1
	}
	return 0
}
