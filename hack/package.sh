#!/usr/bin/env bash
# Builds the plugin's archives for krew and krew.yaml with their checksums into
# dist/: hack/package.sh -version v0.1.0. It is the part of a release that krew
# needs; hack/release has the flags.
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run -C hack/release . -plugin "$@"
