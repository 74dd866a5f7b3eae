package machine

import _ "embed"

// wazeroRunc is the OCI runtime of containers whose program is a WebAssembly module.
const wazeroRunc = "wazero-runc"

//go:embed wazero.yaml
var runtimeClassManifest string

// RuntimeClassManifest lets pods choose that runtime.
var RuntimeClassManifest = Manifest{"wazero.yaml", runtimeClassManifest}
