package machine

import _ "embed"

//go:embed metrics-server.yaml
var metricsServerManifest string

// MetricsServerManifest makes metrics-server part of the API.
var MetricsServerManifest = Manifest{"metrics-server.yaml", metricsServerManifest}
