package expand

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// TransformersKey is the file in /etc/gati/transformers that a handler's runtime
// reads.
const TransformersKey = "transformers.json"

// Transformers configure how a handler's runtime serves the callers of one version
// on another.
type Transformers struct {
	// Contract is the version that callers without a version speak; empty while every
	// version serves the callers of every other. Run are the versions that serve them
	// as they are.
	Contract string   `json:"contract,omitempty"`
	Run      []string `json:"run,omitempty"`
	// Next is the contract that takes its place at a moment of which pods are told ahead.
	Next *NextContract `json:"next,omitempty"`
	// Versions are in the order of their admission: a request is transformed from
	// one to the next.
	Versions []string `json:"versions"`
	// Live are the versions with pods, Tags the versions that tags mean.
	Live []string          `json:"live,omitempty"`
	Tags map[string]string `json:"tags,omitempty"`
	// WithoutTraffic are those of them that pins alone lead to: their pods keep no
	// connections of callers without a version.
	WithoutTraffic []string `json:"withoutTraffic,omitempty"`
	// Pairs are the transformers between adjacent versions.
	Pairs []v1.Transformer `json:"pairs"`
}

// NextContract is a contract with its run, from a moment on.
type NextContract struct {
	Contract string      `json:"contract"`
	Run      []string    `json:"run,omitempty"`
	At       metav1.Time `json:"at"`
}

// AddTransformers adds the ConfigMap that the pods of every version mount, unless
// there is no pair. Its content is not frozen: it may change at any time.
func (p *Plan) AddTransformers(h *v1.GatiHandler, t Transformers) error {
	if len(t.Pairs) == 0 {
		return nil
	}
	text, err := t.encode()
	if err != nil {
		return err
	}
	p.Objects = append([]client.Object{&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: handlerOwner(h).objectMeta(naming.TransformersName(h.Name), nil),
		Data:       map[string]string{TransformersKey: text},
	}}, p.Objects...)
	return nil
}

func (t Transformers) encode() (string, error) {
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the transformers: %w", err)
	}
	return string(text) + "\n", nil
}

// Hash identifies the file by its text, as the pods that have read it do.
func (t Transformers) Hash() string {
	text, err := t.encode()
	if err != nil {
		panic(err) // Names can always be encoded.
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
