// Package kubeapi is the little of a Kubernetes client that the launcher
// needs: objects as JSON over HTTP. The real client library would take longer
// to build than everything else here.
//
// It must not know which objects there are.
package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Client speaks to one API server.
type Client struct {
	base string
	http *http.Client
}

// New returns a client of the API server at a URL.
func New(base string, client *http.Client) *Client { return &Client{base: base, http: client} }

// StatusError is an answer other than success.
type StatusError struct {
	Method, Path string
	Code         int
	Body         string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s %s: HTTP %d: %s", e.Method, e.Path, e.Code, e.Body)
}

// Get reads an object into out.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, nil, out)
}

// Create creates an object in a collection. That it exists is no error.
func (c *Client) Create(ctx context.Context, path string, object any) error {
	return ignoreStatus(c.do(ctx, http.MethodPost, path, object, nil), http.StatusConflict)
}

// Delete deletes an object. That it does not exist is no error.
func (c *Client) Delete(ctx context.Context, path string) error {
	return ignoreStatus(c.do(ctx, http.MethodDelete, path, nil, nil), http.StatusNotFound)
}

func ignoreStatus(err error, code int) error {
	var status *StatusError
	if errors.As(err, &status) && status.Code == code {
		return nil
	}
	return err
}

func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return fmt.Errorf("encode the object for %s: %w", path, err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, &body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	if response.StatusCode >= 300 {
		return &StatusError{Method: method, Path: path, Code: response.StatusCode, Body: string(answer)}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: decode the answer: %w", method, path, err)
	}
	return nil
}
