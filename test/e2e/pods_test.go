package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// handlerPods returns all pods of the handler, also those on their way out.
func (w *world) handlerPods() ([]corev1.Pod, error) {
	var list corev1.PodList
	err := admin.List(w.t.Context(), &list, client.InNamespace(w.ns), client.MatchingLabels{v1.LabelHandler: "users"})
	return list.Items, err
}

// notePods notes which pods there are.
func (w *world) notePods() {
	w.t.Helper()
	pods, err := w.handlerPods()
	if err != nil {
		w.t.Fatal(err)
	}
	w.pods = map[string]bool{}
	for _, p := range pods {
		w.pods[string(p.UID)] = true
	}
}

// itsPodsAreTheSame wants the pods that were noted: same UIDs, ready, and no
// container started anew.
func (n then) itsPodsAreTheSame() {
	n.t.Helper()
	pods, err := n.handlerPods()
	if err != nil {
		n.t.Fatal(err)
	}
	for _, p := range pods {
		if !n.pods[string(p.UID)] {
			n.t.Errorf("pod %s (%s) is new", p.Name, p.UID)
		}
		for _, c := range p.Status.ContainerStatuses {
			if c.RestartCount > 0 || !c.Ready {
				n.t.Errorf("container of pod %s: %d restarts, ready: %v", p.Name, c.RestartCount, c.Ready)
			}
		}
	}
	if len(pods) != len(n.pods) {
		n.t.Errorf("%d pods, want %d as before", len(pods), len(n.pods))
	}
	n.logStep("then its %d pods are the same", len(pods))
}

// itsPodsServe wants every noted pod to be there and ready.
func (n then) itsPodsServe() {
	n.t.Helper()
	pods, err := n.handlerPods()
	if err != nil {
		n.t.Fatal(err)
	}
	serving := 0
	for _, p := range pods {
		if n.pods[string(p.UID)] && p.DeletionTimestamp == nil && isReady(&p) {
			serving++
		}
	}
	if serving != len(n.pods) {
		n.t.Errorf("%d of its %d pods serve", serving, len(n.pods))
	}
	n.logStep("then its %d pods serve on", serving)
}

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// checkContains checks that a text has all parts.
func checkContains(text string, parts ...string) error {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return fmt.Errorf("%q does not contain %q", text, part)
		}
	}
	return nil
}

// reply is an answer of the sample, with the pod that gave it.
type reply struct {
	Version string `json:"-"`
	By      struct {
		Instance string
		Version  string
		Module   *string
	}
}

// askWithin is how long one request may take.
const askWithin = 10 * time.Second

// askForReply sends one request on a connection of its own, for a version unless that is
// empty, and wants success.
func askForReply(ctx context.Context, url, host, version string) (*reply, error) {
	answer, err := sendGet(ctx, url, host, version)
	if err != nil {
		return nil, err
	}
	if answer.status != http.StatusOK {
		return nil, fmt.Errorf("%s (host %q): %d: %s", url, host, answer.status, answer.body)
	}
	r := &reply{Version: answer.header.Get("X-App-Version")}
	return r, json.Unmarshal(answer.body, r)
}

// response is an answer whose body was read.
type response struct {
	status int
	header http.Header
	body   []byte
}

// sendGet makes one request on a connection of its own, by the header for a version unless that
// is empty.
func sendGet(ctx context.Context, url, host, version string) (response, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return response{}, err
	}
	request.Host = host
	if version != "" {
		request.Header.Set("X-Gati-Version", version)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return response{}, err
	}
	body, err := io.ReadAll(answer.Body)
	return response{answer.StatusCode, answer.Header, body}, errors.Join(err, answer.Body.Close())
}
