package certs

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// A leaf is signed only with a CA that every clientConfig trusts, whoever put it there.
func TestObserverPassesOnWhatAllTargetsTrust(t *testing.T) {
	now := time.Now()
	older, newer := newCA(t, commonName, now.Add(-time.Hour)), newCA(t, commonName, now)
	one, both := Bundle{older.certificate}, Bundle{newer.certificate, older.certificate}
	tests := map[string]struct {
		mutating, conversion Bundle
		garbled, published   bool
		want                 Bundle
	}{
		"none holds a CA":          {},
		"all hold the one before":  {mutating: one, conversion: one, want: one},
		"one is ahead":             {mutating: both, conversion: one, want: one},
		"one has none yet":         {mutating: both},
		"one cannot be parsed":     {mutating: both, conversion: both, garbled: true},
		"all hold the one to sign": {mutating: both, conversion: both, want: both, published: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			hooks, converter := mutating(tc.mutating.PEM()), crd("x.gati.dev", true)
			setBundle(converter, tc.conversion.PEM())
			if tc.garbled {
				hooks.(*admissionregistration.MutatingWebhookConfiguration).Webhooks[1].ClientConfig.CABundle = []byte("rubbish")
			}
			source := &fixed{bundle: both, changed: newNotification()}
			live := NewLive(fakeClient(t, hooks, converter), Targets("hooks", "x.gati.dev", "y.gati.dev"))
			if got := NewObserver(live, source, logr.Discard()).readTargets(t.Context()); got != tc.published {
				t.Errorf("the CA that signs counts as published: %v, want %v", got, tc.published)
			}
			if !slices.EqualFunc(source.published, tc.want, equalCertificates) {
				t.Errorf("got %s, want %s", dates(source.published), dates(tc.want))
			}
		})
	}
}

// setBundle puts a bundle into the conversion of a CRD.
func setBundle(o client.Object, bundle []byte) {
	o.(*apiextensions.CustomResourceDefinition).Spec.Conversion.Webhook.ClientConfig.CABundle = bundle
}

// A process that only reads the Secret writes nothing, whatever the Secret holds.
func TestReadOnlySourceWritesNothing(t *testing.T) {
	now := time.Now()
	due := secretOf(t, now.Add(-300*24*time.Hour))
	broken := secretOf(t, now)
	broken.Data["ca.crt"] = []byte("other")
	for name, tc := range map[string]struct {
		stored *corev1.Secret
		usable bool
	}{
		"there is none": {}, "it cannot be used": {stored: broken}, "it is due for renewal": {stored: due, usable: true},
	} {
		t.Run(name, func(t *testing.T) {
			var stored []client.Object
			if tc.stored != nil {
				stored = append(stored, tc.stored)
			}
			refuse := func() error { t.Error("the Secret is written"); return nil }
			c := interceptor.NewClient(secretClient(t, stored...), interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return refuse() },
				Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error { return refuse() },
			})
			a := &authority{client: c, key: client.ObjectKey{Namespace: "gati-system", Name: "ca"}, lifetime: 365 * 24 * time.Hour, readOnly: true, log: logr.Discard()}
			if _, err := a.ensureCA(t.Context(), now); (err == nil) != tc.usable {
				t.Errorf("got error %v, want a CA: %v", err, tc.usable)
			}
		})
	}
}

func secretOf(t *testing.T, from time.Time) *corev1.Secret {
	t.Helper()
	data, err := createCA(from, 365*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "gati-system", Name: "ca"}, Data: data}
}

func secretClient(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}
