package integration

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

// account is the name under which gati-webhook is known to the API server.
const account = "system:serviceaccount:" + local.Namespace + ":" + local.Account

// request is what an entry of the audit log says of one request.
type request struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	Object struct {
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

// lacksRight tells a refusal for want of a right from one by a quota or a policy.
func (r request) lacksRight() bool {
	return r.Response.Code == 403 && r.Annotations["authorization.k8s.io/decision"] != "allow"
}

func (r request) String() string {
	return fmt.Sprintf("%s %s %s %s/%s: %d %s", r.Received.Format(time.TimeOnly), r.Verb,
		strings.Trim(r.Object.Resource+"/"+r.Object.Subresource, "/"), r.Object.Namespace, r.Object.Name, r.Response.Code, r.Response.Message)
}

func (r request) writes() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// audit reads the requests of gati-webhook from the audit log, the rotated files
// first, and returns those that fit.
func audit(fits func(request) bool) ([]request, error) {
	if cluster.AuditLog == "" {
		return nil, errors.New("there is no audit log to read: set GATI_TEST_AUDIT_LOG to the file of the API server's --audit-log-path")
	}
	pattern := strings.TrimSuffix(cluster.AuditLog, ".log") + "*.log"
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no audit log at %s: %w", pattern, err)
	}
	var out []request
	for _, file := range files {
		if out, err = auditFile(file, out, fits); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func auditFile(path string, out []request, fits func(request) bool) ([]request, error) {
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
		if !bytes.Contains(line, []byte(account)) {
			continue
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", path, err, line)
		}
		if r.User.Username == account && fits(r) {
			out = append(out, r)
		}
	}
}

// refusals fails when the account of gati-webhook was refused anything since it
// was started: "its account gets no 403 over the whole suite".
func refusals() error {
	asked := 0
	refused, err := audit(func(r request) bool {
		if r.Received.Before(began) {
			return false
		}
		asked++
		return r.lacksRight()
	})
	if err != nil {
		return err
	}
	if asked == 0 {
		return fmt.Errorf("the audit log has no request of %s at all, so it proves nothing", account)
	}
	if len(refused) > 0 {
		return fmt.Errorf("%s was refused %d requests of %d, such as %s", account, len(refused), asked, refused[0])
	}
	fmt.Printf("%s made %d requests; none was refused\n", account, asked)
	return nil
}
