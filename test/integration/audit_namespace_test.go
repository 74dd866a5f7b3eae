package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// auditOf reads the requests of a namespace from the audit log, whoever made
// them, and returns those that fit.
func auditOf(ns string, fits func(request) bool) ([]request, error) {
	if cluster.AuditLog == "" {
		return nil, errors.New("there is no audit log to read: set GATI_TEST_AUDIT_LOG to the file of the API server's --audit-log-path")
	}
	files, err := filepath.Glob(strings.TrimSuffix(cluster.AuditLog, ".log") + "*.log")
	if err != nil {
		return nil, err
	}
	var out []request
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var e request
			if !bytes.Contains(line, []byte(ns)) || json.Unmarshal(line, &e) != nil {
				continue // a line without an end is still being written
			}
			if e.Object.Namespace == ns && fits(e) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}
