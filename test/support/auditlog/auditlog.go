// Package auditlog reads the audit log of a test's API server: who asked for what,
// when, and what came of it. Writes that change nothing are in it, too.
package auditlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gati.dev/gati/internal/local"
)

// Names under which Gati's accounts are known to the API server.
const (
	HooksAccount       = "system:serviceaccount:" + local.Namespace + ":" + local.Account
	ControllersAccount = "system:serviceaccount:" + local.Namespace + ":" + local.ControllerAccount
)

// Request is one request in the audit log.
type Request struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	Object struct {
		Group       string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Response struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"responseStatus"`
	Received time.Time `json:"requestReceivedTimestamp"`
	// Annotations are what authorization and admission have noted.
	Annotations map[string]string `json:"annotations"`
}

// LacksRight tells a refusal for want of a right from one by a quota or a policy.
func (r Request) LacksRight() bool {
	return r.Response.Code == 403 && r.Annotations["authorization.k8s.io/decision"] != "allow"
}

func (r Request) String() string {
	return fmt.Sprintf("%s %s %s %s/%s: %d %s", r.Received.Format(time.TimeOnly), r.Verb,
		strings.Trim(r.Object.Resource+"/"+r.Object.Subresource, "/"), r.Object.Namespace, r.Object.Name, r.Response.Code, r.Response.Message)
}

// Writes reports whether it was to change something.
func (r Request) Writes() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// Read returns the requests that fit, from the rotated files of a log and then from
// the log itself. Only lines that have a text in them are looked at.
func Read(log, text string, fits func(Request) bool) ([]Request, error) {
	if log == "" {
		return nil, errors.New("there is no audit log to read: set GATI_TEST_AUDIT_LOG to the file of the API server's --audit-log-path")
	}
	pattern := strings.TrimSuffix(log, ".log") + "*.log"
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no audit log at %s: %w", pattern, err)
	}
	var out []Request
	for _, file := range files {
		if out, err = readFile(file, []byte(text), out, fits); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readFile(path string, text []byte, out []Request, fits func(Request) bool) ([]Request, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out, nil // A line without an end is still being written.
		}
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(line, text) {
			continue
		}
		var r Request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", path, err, line)
		}
		if fits(r) {
			out = append(out, r)
		}
	}
}
