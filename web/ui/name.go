package ui

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"
)

// mostBreaks is how many places a name may break at.
const mostBreaks = 16

// wording is the text of a cell. A name such as refund_window_closed may break after an underscore rather than within a word.
func wording(c Cell) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		text := templ.EscapeString(c.Text)
		if c.Mono {
			text = strings.Join(strings.SplitAfterN(text, "_", mostBreaks), "<wbr>")
		}
		_, err := io.WriteString(w, text)
		return err
	})
}
