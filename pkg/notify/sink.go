package notify

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// The formats of a notification.
const (
	FormatCloudEvents = "cloudevents"
	FormatSlack       = "slack"
)

var formats = []string{FormatCloudEvents, FormatSlack}

// Sink is where notifications are sent, as the operator configured it.
type Sink struct {
	// Name is the key of its state, and its label in metrics.
	Name string `json:"name"`
	// Format is cloudevents, the default, or slack.
	Format string `json:"format,omitempty"`
	// URL is its address. SecretKey is the key of the Secret gati-notifications that
	// holds the address instead, for one that is itself a secret.
	URL       string `json:"url,omitempty"`
	SecretKey string `json:"secretKey,omitempty"`
	// Events are the kinds of events; none are Completed, RolledBack, Failed and
	// NeedsAttention. The key is not "on", which YAML reads as true.
	Events []string `json:"events,omitempty"`
}

var sinkName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// ParseSink reads a sink from YAML or JSON.
func ParseSink(text string) (Sink, error) {
	var s Sink
	if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
		return s, fmt.Errorf("want an object with name, format, url or secretKey, and events: %w", err)
	}
	if s.Format == "" {
		s.Format = FormatCloudEvents
	}
	if len(s.Events) == 0 {
		s.Events = defaultKinds
	}
	return s, s.validate()
}

func (s Sink) validate() error {
	switch {
	case !sinkName.MatchString(s.Name):
		return fmt.Errorf("name %q: want lower-case letters, digits and -, at most 40", s.Name)
	case !slices.Contains(formats, s.Format):
		return fmt.Errorf("%s: format %q: want one of %s", s.Name, s.Format, strings.Join(formats, ", "))
	case (s.URL == "") == (s.SecretKey == ""):
		return fmt.Errorf("%s: want one of url and secretKey", s.Name)
	case s.SecretKey != "" && (s.SecretKey != filepath.Base(s.SecretKey) || strings.HasPrefix(s.SecretKey, ".")):
		return fmt.Errorf("%s: secretKey %q: want a key of the Secret gati-notifications", s.Name, s.SecretKey)
	case s.URL != "":
		if err := checkURL(s.URL); err != nil {
			return fmt.Errorf("%s: url: %w", s.Name, err)
		}
	}
	for _, kind := range s.Events {
		if !slices.Contains(Kinds, kind) {
			return fmt.Errorf("%s: events: there is no event %q; the events are %s", s.Name, kind, strings.Join(Kinds, ", "))
		}
	}
	return nil
}

func checkURL(address string) error {
	switch u, err := url.Parse(address); {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want an address such as https://events.example.com/gati")
	case u.User != nil:
		return errors.New("credentials do not belong into the configuration; put the address into the Secret and name it by secretKey")
	}
	return nil
}

// readAddress returns the address to send to. It is read anew each time: a Secret rotates.
func (s Sink) readAddress(secrets string) (string, error) {
	if s.SecretKey == "" {
		return s.URL, nil
	}
	text, err := os.ReadFile(filepath.Join(secrets, s.SecretKey))
	if err != nil {
		return "", fmt.Errorf("the Secret gati-notifications has no key %s", s.SecretKey)
	}
	address := strings.TrimSpace(string(text))
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("the key %s of the Secret gati-notifications is no address", s.SecretKey)
	}
	return address, nil
}
