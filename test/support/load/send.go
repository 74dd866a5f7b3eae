package load

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"
)

// result is what became of a request.
type result struct {
	request
	sent    time.Time
	latency time.Duration
	// status is zero where no answer came.
	status  int
	answer  http.Header
	problem string
}

func (r result) endTime() time.Time { return r.sent.Add(r.latency) }

// sendRequest sends a request and reads the whole answer.
func sendRequest(client *http.Client, what request, check func([]byte) error) result {
	out := result{request: what, sent: time.Now()}
	if err := out.exchangeMessages(client, check); err != nil {
		out.problem = err.Error()
	}
	out.latency = time.Since(out.sent)
	return out
}

func (r *result) exchangeMessages(client *http.Client, check func([]byte) error) error {
	message, err := http.NewRequest(r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	message.Header = r.header.Clone()
	if host := r.header.Get("Host"); host != "" {
		message.Host = host
	}
	answer, err := client.Do(message)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	r.status, r.answer = answer.StatusCode, answer.Header
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case !isSuccess(r.status):
		return fmt.Errorf("%s: %.300s", answer.Status, body)
	case check != nil:
		return check(body)
	}
	return nil
}
