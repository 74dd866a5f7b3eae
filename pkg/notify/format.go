package notify

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// formatPayload returns the body of a notification and its media type.
func formatPayload(format string, e Event) (body []byte, mediaType string, err error) {
	if format == FormatSlack {
		body, err = json.Marshal(map[string]string{"text": slackText(e)})
		return body, "application/json", err
	}
	body, err = json.Marshal(cloudEvent{
		SpecVersion: "1.0", ID: e.ID, Source: sourcePath(e.Object), Type: "dev.gati." + strings.ToLower(e.Kind), Subject: e.Object.Namespace + "/" + e.Object.Name,
		Time: e.At.UTC().Format(time.RFC3339), DataContentType: "application/json",
		Data: data{
			Event: e.Kind, Kind: e.Object.Kind, Namespace: e.Object.Namespace, Name: e.Object.Name, UID: e.UID,
			By: e.By, From: e.From, To: e.To, Message: e.Message,
		},
	})
	return body, "application/cloudevents+json; charset=utf-8", err
}

// cloudEvent is an event in the structured mode of CloudEvents 1.0.
type cloudEvent struct {
	SpecVersion     string `json:"specversion"`
	ID              string `json:"id"`
	Source          string `json:"source"`
	Type            string `json:"type"`
	Subject         string `json:"subject"`
	Time            string `json:"time"`
	DataContentType string `json:"datacontenttype"`
	Data            data   `json:"data"`
}

type data struct {
	Event     string `json:"event"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	By        string `json:"by"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	Message   string `json:"message,omitempty"`
}

// sourcePath is the path of the object at the API server.
func sourcePath(o Object) string {
	return fmt.Sprintf("/apis/gati.dev/v1/namespaces/%s/%ss/%s", o.Namespace, strings.ToLower(o.Kind), o.Name)
}

// slackEscape keeps messages, which may quote users, from being mentions or links.
var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackText returns one line: "*RolledBack* shop/users: v2 50 % → v1 100 %: … (jane)".
func slackText(e Event) string {
	way := e.From
	if e.From != "" && e.To != "" {
		way += " → "
	}
	parts := []string{fmt.Sprintf("*%s* %s/%s", e.Kind, e.Object.Namespace, e.Object.Name)}
	for _, part := range []string{way + e.To, e.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return slackEscape.Replace(strings.Join(parts, ": ")) + " (" + slackEscape.Replace(e.By) + ")"
}
