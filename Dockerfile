# Two programs in one image: `ingest` and `dashboard`. The chart script comes from npm, pinned in web/static/fetch.sh.
ARG GO_VERSION=1.26
ARG NODE_VERSION=22

FROM node:${NODE_VERSION}-bookworm-slim AS vendor
WORKDIR /src
COPY web/static/fetch.sh web/static/fetch.sh
RUN mkdir -p web/static/vendor && web/static/fetch.sh

FROM golang:${GO_VERSION}-bookworm AS build
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=vendor /src/web/static/vendor/ web/static/vendor/
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/ ./cmd/ingest ./cmd/dashboard

FROM debian:bookworm-slim
RUN useradd --system --uid 65532 errata
COPY --from=build /out/ /usr/local/bin/
USER errata
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/ingest"]
CMD ["run"]
