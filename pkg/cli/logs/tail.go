package logs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

// palette tells versions apart.
var palette = []output.Color{output.Good, output.Busy, output.Bold, output.Faint}

// tail writes the lines of several pods.
type tail struct {
	*options
	// versions are the workloads to show; nil for all.
	versions map[string]string
	names    []string

	mu   sync.Mutex
	seen map[string]bool
}

func newTail(o *options, versions map[string]string) *tail {
	t := &tail{options: o, versions: versions, seen: map[string]bool{}}
	for _, v := range versions {
		t.names = append(t.names, v)
	}
	slices.Sort(t.names)
	return t
}

// printAll writes the existing logs, one pod after another.
func (t *tail) printAll(ctx context.Context, pods []corev1.Pod) error {
	pods = t.selectPods(pods)
	if len(pods) == 0 {
		fmt.Fprintln(t.env.Streams.ErrOut, "No pods found.")
		return nil
	}
	if err := t.checkContainer(pods); err != nil {
		return err
	}
	var errs []error
	for i := range pods {
		pod := &pods[i]
		for _, c := range t.readable(pod) {
			if err := t.streamLog(ctx, pod, c, t.linePrefix(pod, c)); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", pod.Name, err))
			}
		}
	}
	return exit.With(exit.Error, errors.Join(errs...))
}

// selectPods are the pods of the versions to show, by version and name.
func (t *tail) selectPods(pods []corev1.Pod) []corev1.Pod {
	pods = slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return !t.isSelected(&p) })
	slices.SortFunc(pods, func(a, b corev1.Pod) int {
		return cmp.Or(cmp.Compare(t.versionOf(&a), t.versionOf(&b)), cmp.Compare(a.Name, b.Name))
	})
	return pods
}

// isSelected reports whether a pod is of a version that is shown.
func (t *tail) isSelected(pod *corev1.Pod) bool {
	_, wanted := t.versions[pod.Labels[v1.LabelWorkload]]
	return wanted || t.versions == nil
}

func (t *tail) versionOf(pod *corev1.Pod) string { return t.versions[pod.Labels[v1.LabelWorkload]] }

// isUnread reports whether a run of a container has a log that is not read yet. One that was
// restarted is another. An init container has ended by the time that most pods are seen.
func (t *tail) isUnread(pod *corev1.Pod, c *container) bool {
	if c.status.State.Running == nil && (!c.isInit || c.status.State.Terminated == nil) {
		return false
	}
	key := fmt.Sprintf("%s/%s/%d", cmp.Or(string(pod.UID), pod.Name), c.status.Name, c.status.RestartCount)
	if t.seen[key] {
		return false
	}
	t.seen[key] = true
	return true
}

// streamLog writes the lines of one container behind a prefix.
func (t *tail) streamLog(ctx context.Context, pod *corev1.Pod, container, prefix string) error {
	asked := &corev1.PodLogOptions{Container: container, Follow: t.follow, Previous: t.previous, Timestamps: t.timestamps}
	if t.tail >= 0 {
		asked.TailLines = &t.tail
	}
	if t.since > 0 {
		seconds := int64(t.since.Seconds())
		asked.SinceSeconds = &seconds
	}
	lines, err := t.source(ctx, pod.Namespace, pod.Name, asked)
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }() // it was only read
	return t.copyLines(lines, prefix)
}

// linePrefix is the text before each line of a container. It is named where the pod has others.
func (t *tail) linePrefix(pod *corev1.Pod, container string) string {
	of := pod.Name
	if len(containersOf(pod)) > 1 {
		of += " " + container
	}
	version := t.versionOf(pod)
	if version == "" {
		return output.Line(of) + " | "
	}
	color := palette[max(0, slices.Index(t.names, version))%len(palette)]
	return t.painter.Paint(color, output.Line(version+" "+of)) + " | "
}

// copyLines writes whole lines, so that those of two pods do not mix.
func (t *tail) copyLines(from io.Reader, prefix string) error {
	r := bufio.NewReader(from)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			if err := t.writeLine(prefix, strings.TrimSuffix(line, "\n")); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// writeLine writes a line behind a prefix. What a program has written is raw only when
// asked for.
func (t *tail) writeLine(prefix, line string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.env.Streams.Out
	if !t.raw {
		_, err := io.WriteString(out, prefix+strings.TrimSuffix(line, "\r")+"\n")
		return err
	}
	if _, err := io.WriteString(out, prefix); err != nil {
		return err
	}
	_, err := io.WriteString(output.Raw(out), line+"\n")
	return err
}
