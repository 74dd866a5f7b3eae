// Package health checks components.
//
// It must not know what to do about the result.
package health

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gati.dev/gati/devcluster/internal/state"
)

// answerLimit bounds what is read of an answer and told of a bad one.
const answerLimit = 400

// Check returns nil when the component runs and its health check succeeds.
func Check(ctx context.Context, client *http.Client, component state.Component) error {
	if !component.Process.Alive() {
		return ErrNotRunning
	}
	if component.URL == "" { // It serves nothing; that it runs is all there is to know.
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, component.URL+component.Health, nil)
	if err != nil {
		return fmt.Errorf("check %s: %w", component.Name, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("half an answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d: %s", response.StatusCode, strings.TrimSpace(string(body)))
	}
	return nil
}
