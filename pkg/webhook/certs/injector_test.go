package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// fixed is a Source whose bundle does not change by itself.
type fixed struct {
	bundle    Bundle
	published Bundle
	changed   notification
}

func (f *fixed) Start(context.Context) error                                   { return nil }
func (f *fixed) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil }
func (f *fixed) Desired(Bundle) Bundle                                         { return f.bundle }
func (f *fixed) Published(b Bundle)                                            { f.published = b }
func (f *fixed) Changed() <-chan struct{}                                      { return f.changed }

func service() *admissionregistration.ServiceReference {
	return &admissionregistration.ServiceReference{Namespace: "gati-system", Name: "gati-webhook"}
}

func mutating(bundle []byte) client.Object {
	config := admissionregistration.WebhookClientConfig{Service: service(), CABundle: bundle}
	return &admissionregistration.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "hooks"},
		Webhooks:   []admissionregistration.MutatingWebhook{{Name: "a", ClientConfig: config}, {Name: "b", ClientConfig: config}},
	}
}

func validating() client.Object {
	url := "https://127.0.0.1:9443/validate"
	return &admissionregistration.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "hooks"},
		Webhooks:   []admissionregistration.ValidatingWebhook{{Name: "a", ClientConfig: admissionregistration.WebhookClientConfig{URL: &url}}},
	}
}

func crd(name string, converts bool) client.Object {
	c := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if converts {
		c.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.WebhookConverter, Webhook: &apiextensions.WebhookConversion{
			ClientConfig: &apiextensions.WebhookClientConfig{Service: &apiextensions.ServiceReference{Namespace: "gati-system", Name: "gati-webhook"}},
		}}
	}
	return c
}

func fakeClient(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{admissionregistration.AddToScheme, apiextensions.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func TestInject(t *testing.T) {
	ca := newCA(t, commonName, time.Now())
	want := Bundle{ca.certificate}
	tests := map[string]struct {
		objects   []client.Object
		bundle    Bundle
		endpoints int
		complete  bool
	}{
		"all there": {
			objects: []client.Object{mutating(nil), validating(), crd("x.gati.dev", true)}, bundle: want, endpoints: 4, complete: true,
		},
		"what stands is rubbish": {
			objects: []client.Object{mutating([]byte("rubbish")), validating(), crd("x.gati.dev", true)}, bundle: want, endpoints: 4, complete: true,
		},
		"a CRD that converts nothing": {
			objects: []client.Object{mutating(nil), validating(), crd("x.gati.dev", false)}, bundle: want, endpoints: 3, complete: true,
		},
		"one is missing": {
			objects: []client.Object{mutating(nil), crd("x.gati.dev", true)}, bundle: want, endpoints: 3,
		},
		"all are missing": {bundle: want},
		"no CA yet":       {objects: []client.Object{mutating(nil)}, endpoints: 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := fakeClient(t, tc.objects...)
			source := &fixed{bundle: tc.bundle, changed: newNotification()}
			live := NewLive(c, Targets("hooks", "x.gati.dev"))
			complete, err := NewInjector(c, live, source, logr.Discard()).updateTargets(t.Context())
			if err != nil || complete != tc.complete {
				t.Fatalf("got complete %v and error %v, want %v", complete, err, tc.complete)
			}
			if len(source.published) != len(tc.bundle) {
				t.Errorf("%d CAs are told to be published, want %d", len(source.published), len(tc.bundle))
			}
			standing, err := live.Endpoints(t.Context())
			if err != nil || len(standing) != tc.endpoints {
				t.Fatalf("got %d clientConfigs and error %v, want %d", len(standing), err, tc.endpoints)
			}
			for _, e := range standing {
				if !bytes.Equal(e.CABundle, tc.bundle.PEM()) {
					t.Errorf("%s%s does not hold the bundle", e.Target, e.Pointer)
				}
			}
		})
	}
}

func TestServerNames(t *testing.T) {
	c := fakeClient(t, mutating(nil), validating(), crd("x.gati.dev", true))
	standing, err := NewLive(c, Targets("hooks", "x.gati.dev")).Endpoints(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"MutatingWebhookConfiguration":   "gati-webhook.gati-system.svc",
		"ValidatingWebhookConfiguration": "127.0.0.1",
		"CustomResourceDefinition":       "gati-webhook.gati-system.svc",
	}
	for _, e := range standing {
		if e.ServerName != want[e.Target.Kind] {
			t.Errorf("%s: got %s, want %s", e.Target, e.ServerName, want[e.Target.Kind])
		}
	}
}
