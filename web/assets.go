package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"errata/web/ui"
)

//go:embed static/*.css static/*.js static/*.svg static/vendor
var embedded embed.FS

// embeddedAssets are read and compressed once for all servers of a program.
var embeddedAssets = sync.OnceValues(func() (assets, error) { return readAssets(embedded) })

// asset is one file that the dashboard serves beside its pages.
type asset struct {
	kind         string
	plain, small []byte // small: compressed
	tag          string
}

// assets are all of them, by name.
type assets map[string]asset

// kinds are the types of files that are served.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// readAssets reads the embedded files.
func readAssets(dir fs.FS) (assets, error) {
	all := assets{}
	err := fs.WalkDir(dir, "static", func(name string, entry fs.DirEntry, err error) error {
		kind := kinds[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		var small bytes.Buffer
		w := gzip.NewWriter(&small)
		if _, err := w.Write(text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		all[strings.TrimPrefix(name, "static/")] = asset{kind, text, small.Bytes(), hex.EncodeToString(sum[:8])}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the embedded files: %w", err)
	}
	return all, nil
}

const chartScript = "vendor/echarts.min.js"

// addresses are where pages find them, with the content's hash, so that a browser may keep them.
func (a assets) addresses(base string) ui.Assets {
	at := func(name string) string {
		found, ok := a[name]
		if !ok {
			return ""
		}
		return base + "/static/" + name + "?v=" + found.tag
	}
	return ui.Assets{Style: at("app.css"), RunStyle: at("run.css"), Charts: at(chartScript), Icon: at("icon.svg"),
		Scripts: []string{at("app.js"), at("keys.js"), at("queue.js"), at("run.js"), at("include.js"), at("live.js")}}
}

// ServeHTTP serves one file.
func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := a[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", found.kind)
	h.Set("ETag", `"`+found.tag+`"`)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == found.tag {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == `"`+found.tag+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		_, _ = w.Write(found.small)
		return
	}
	_, _ = w.Write(found.plain)
}
