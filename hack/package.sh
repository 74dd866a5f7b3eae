#!/usr/bin/env bash
# Builds the plugin's archives for krew and krew.yaml with their checksums into
# dist/: hack/package.sh -version v0.1.0. hack/package has the flags.
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./hack/package "$@"
