package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"gati.dev/gati/pkg/printable"
)

// Limits of the quoted log of a check.
const (
	maxLogLines = 5
	maxLogRunes = 400
)

// CheckFailure returns why the Job of a check has failed: how its last pod ended, with the
// end of its log.
func CheckFailure(j *batchv1.Job, pods []corev1.Pod) string {
	last := slices.MaxFunc(append([]corev1.Pod{{}}, pods...), func(a, b corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	for _, c := range last.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil {
			return describeCheckEnd(t)
		}
	}
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobFailed {
			return printable.OneLine(cmp.Or(c.Message, c.Reason))
		}
	}
	return "its Job has failed"
}

func describeCheckEnd(t *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("exit code %d", t.ExitCode)
	if t.Reason != "" && t.Reason != "Error" {
		text += " (" + t.Reason + ")"
	}
	if log := endOfLog(t.Message); log != "" {
		text += ": " + log
	}
	return text
}

// endOfLog returns the last lines of a log in one line.
func endOfLog(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = printable.OneLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	runes := []rune(strings.Join(lines[max(0, len(lines)-maxLogLines):], " | "))
	if len(runes) > maxLogRunes {
		return "…" + string(runes[len(runes)-maxLogRunes:])
	}
	return string(runes)
}
