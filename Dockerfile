# The image of gati-webhook: one static binary and nothing else. "make image" and
# "make release" write it without a container engine.
#
# The image with Go is named by its digest, which decides what is built. Docker finds it:
#
#   docker buildx imagetools inspect golang:1.26
#   docker build -t gati.dev/gati-webhook:v0.1.0 --build-arg VERSION=v0.1.0 \
#     --build-arg GO_IMAGE=golang:1.26@sha256:... .
ARG GO_IMAGE
FROM --platform=$BUILDPLATFORM $GO_IMAGE AS build
ARG TARGETOS=linux
ARG TARGETARCH
ARG VERSION=""
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY api api
COPY cmd cmd
COPY internal internal
COPY manifests manifests
COPY pkg pkg
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X gati.dev/gati/cmd/gati-webhook/app.release=$VERSION" -o /gati-webhook ./cmd/gati-webhook

FROM scratch
# The public CA certificates are in the binary; SSL_CERT_FILE and SSL_CERT_DIR name others.
COPY --from=build /gati-webhook /gati-webhook
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/gati-webhook"]
