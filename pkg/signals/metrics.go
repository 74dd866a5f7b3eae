package signals

import "github.com/prometheus/client_golang/prometheus"

// Metrics of the hub have one series each, never one for a handler.
var (
	roundsDesc = prometheus.NewDesc("gati_signals_rounds_total", "Rounds in which traffic was measured.", nil, nil)
	wantedDesc = prometheus.NewDesc("gati_signals_workloads", "Workloads whose traffic a decision depends on.", nil, nil)
	silentDesc = prometheus.NewDesc("gati_signals_unknown_workloads", "Workloads whose last reading is unknown.", nil, nil)
)

// Describe implements prometheus.Collector.
func (h *Hub) Describe(out chan<- *prometheus.Desc) {
	out <- roundsDesc
	out <- wantedDesc
	out <- silentDesc
}

// Collect implements prometheus.Collector.
func (h *Hub) Collect(out chan<- prometheus.Metric) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var wanted, silent float64
	for _, subjects := range h.wanted {
		for _, s := range subjects {
			r, known := h.readings[s.Key]
			if r.Traffic.Unproven || !known && s.isProbe() {
				continue // No decision rests on traffic that nothing measures.
			}
			wanted++
			if known && len(h.sources) > 0 && !r.Traffic.Known {
				silent++
			}
		}
	}
	out <- prometheus.MustNewConstMetric(roundsDesc, prometheus.CounterValue, float64(h.rounds))
	out <- prometheus.MustNewConstMetric(wantedDesc, prometheus.GaugeValue, wanted)
	out <- prometheus.MustNewConstMetric(silentDesc, prometheus.GaugeValue, silent)
}
