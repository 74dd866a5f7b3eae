package app

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"

	"gati.dev/gati/pkg/notify"
)

// sinks are the values of the flag notify.
type sinks []notify.Sink

var _ pflag.Value = (*sinks)(nil)

// Set adds a sink.
func (s *sinks) Set(text string) error {
	sink, err := notify.ParseSink(text)
	if err == nil {
		*s = append(*s, sink)
	}
	return err
}

func (s *sinks) String() string { return "" }

// Type is the name of the value in the help.
func (s *sinks) Type() string { return "sink" }

func (s *sinks) validate() error {
	names := map[string]bool{}
	for _, sink := range *s {
		if names[sink.Name] {
			return fmt.Errorf("notify: two sinks have the name %s", sink.Name)
		}
		names[sink.Name] = true
	}
	return nil
}

func (c *config) addNotifyFlags(f *pflag.FlagSet) {
	f.Var(&c.Notify, "notify", "where to send notifications, each as an object: {name: ops, format: slack, secretKey: ops, events: [RolledBack, NeedsAttention]}")
	f.StringVar(&c.NotifySecretDir, "notify-secret-dir", "/etc/gati-notifications", "the folder of the Secret gati-notifications, with a file for each secretKey")
}

// notifier delivers notifications during one term, and exports how many.
type notifier struct{ *notify.Dispatcher }

func newNotifier(mgr ctrl.Manager, d dependencies) notifier {
	return notifier{&notify.Dispatcher{
		Sinks: d.config.Notify, Secrets: d.config.NotifySecretDir, Cache: mgr.GetCache(), Clock: d.clock, Log: mgr.GetLogger().WithName("notify"),
		Store: notify.Store{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient(), Namespace: d.config.Namespace},
	}}
}

// Start delivers until the context ends.
func (n notifier) Start(ctx context.Context) error {
	if err := registry.Registry.Register(n); err != nil {
		return err
	}
	defer registry.Registry.Unregister(n)
	return n.Dispatcher.Start(ctx)
}
