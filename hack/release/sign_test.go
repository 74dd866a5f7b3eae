package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCosignVerifiesWhatIsSigned holds that cosign accepts checksums that "make sign" has
// signed with a local key, without a network, and refuses any that differ by one byte, and
// those of another key. The options are those of docs/release.md. A byte at the beginning,
// one in the middle and one of the end is changed: cosign hashes all of them.
func TestCosignVerifiesWhatIsSigned(t *testing.T) {
	t.Parallel()
	cosign, dist := tool(t, "cosign"), t.TempDir()
	ours, others := newKey(t, cosign), newKey(t, cosign)
	sums := read(t, released(t), checksumFile)
	put(t, sums, dist, checksumFile)
	sign := exec.Command("make", "--no-print-directory", "sign", "KEY="+ours+".key", "DIST="+dist)
	sign.Dir, sign.Env = "../..", append(os.Environ(), password)
	mustRun(t, sign)

	if out, err := verify(cosign, dist, ours); err != nil {
		t.Errorf("what was signed is refused: %v\n%s", err, out)
	}
	tried := 0
	for _, at := range []int{0, len(sums) / 2, len(sums) - 1} {
		changed := bytes.Clone(sums)
		changed[at] ^= 1
		put(t, changed, dist, checksumFile)
		expectRefused(t, cosign, dist, ours, "invalid signature")
		tried++
	}
	put(t, append(bytes.Clone(sums), '\n'), dist, checksumFile)
	expectRefused(t, cosign, dist, ours, "invalid signature")
	put(t, sums, dist, checksumFile)
	expectRefused(t, cosign, dist, others, "invalid signature")
	t.Logf("accepted the signed checksums; refused %d changed bytes, a longer list, and another key", tried)
}

// verifyOptions are how docs/release.md verifies by a key.
const verifyOptions = "verify-blob --key cosign.pub --insecure-ignore-tlog --bundle checksums.txt.sigstore.json checksums.txt"

// TestVerificationIsDocumented holds that users are told what the test runs.
func TestVerificationIsDocumented(t *testing.T) {
	page := string(read(t, "../../docs/release.md"))
	for _, want := range []string{"cosign " + verifyOptions, "sha256sum --check --strict checksums.txt", "make sign KEY=cosign.key", "make release VERSION="} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/release.md has no %q", want)
		}
	}
}

func verify(cosign, dist, key string) (string, error) {
	options := strings.Replace(verifyOptions, "cosign.pub", key+".pub", 1)
	cmd := exec.Command(cosign, strings.Fields(options)...)
	cmd.Dir = dist
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func expectRefused(t *testing.T, cosign, dist, key, reason string) {
	t.Helper()
	if out, err := verify(cosign, dist, key); err == nil || !strings.Contains(out, reason) {
		t.Errorf("got %v, want a refusal for %q\n%s", err, reason, out)
	}
}

// password is that of every key.
const password = "COSIGN_PASSWORD=a password"

// newKey makes a key pair and returns its path without the endings.
func newKey(t *testing.T, cosign string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cosign")
	generate := exec.Command(cosign, "generate-key-pair", "--output-key-prefix", path)
	generate.Env = append(os.Environ(), password)
	mustRun(t, generate)
	return path
}

// tool returns the path of one of the repository's tools, and builds it if it is missing.
func tool(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.Command("../tool", name)
	cmd.Stderr = os.Stderr
	path, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(path))
}

func mustRun(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

func put(t *testing.T, content []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), content, 0o600); err != nil {
		t.Fatal(err)
	}
}
