package web

import (
	"errors"
	"log/slog"
	"net/http"
)

// NewGallery serves every page in its states from made-up data.
func NewGallery(access Access, log *slog.Logger) (http.Handler, error) {
	return nil, errors.New("the gallery is not built yet")
}
