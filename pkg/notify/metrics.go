package notify

import "github.com/prometheus/client_golang/prometheus"

var (
	sentDesc    = prometheus.NewDesc("gati_notifications_total", "Tries to deliver a notification. result is delivered, failed or dropped; a failed one is repeated.", []string{"sink", "result"}, nil)
	pendingDesc = prometheus.NewDesc("gati_notifications_pending", "Notifications that wait for a sink.", []string{"sink"}, nil)
)

// The results of a try.
const (
	delivered = "delivered"
	failed    = "failed"
	dropped   = "dropped"
)

var _ prometheus.Collector = (*Dispatcher)(nil)

// Describe implements prometheus.Collector.
func (d *Dispatcher) Describe(out chan<- *prometheus.Desc) {
	out <- sentDesc
	out <- pendingDesc
}

// Collect implements prometheus.Collector.
func (d *Dispatcher) Collect(out chan<- prometheus.Metric) {
	d.mu.Lock()
	queues := d.queues
	counts := map[[2]string]float64{}
	for _, s := range d.Sinks {
		for _, result := range []string{delivered, failed, dropped} {
			key := [2]string{s.Name, result}
			counts[key] = d.counts[key]
		}
	}
	d.mu.Unlock()
	for key, n := range counts {
		out <- prometheus.MustNewConstMetric(sentDesc, prometheus.CounterValue, n, key[0], key[1])
	}
	for _, q := range queues {
		out <- prometheus.MustNewConstMetric(pendingDesc, prometheus.GaugeValue, float64(q.countWaiting()), q.sink.Name)
	}
}

func (d *Dispatcher) countTries(sink, result string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.counts == nil {
		d.counts = map[[2]string]float64{}
	}
	d.counts[[2]string{sink, result}] += float64(n)
}
