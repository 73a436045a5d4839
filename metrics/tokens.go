package metrics

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"errata/transcript"
)

// Tokenizer counts the tokens of a text for a model. It is used by several goroutines at once.
type Tokenizer interface {
	Count(model, text string) int64
}

// noTokens counts nothing.
type noTokens struct{}

func (noTokens) Count(string, string) int64 { return 0 }

// Bounds of what is tokenized.
const (
	maxTokenized = 64 << 10 // bytes of one text that are tokenized; the rest is taken to have as many tokens a byte
	tokenChunk   = 16 << 10 // bytes that are tokenized at a time
)

// BPE is the Tokenizer that estimates rest on: o200k_base, the encoding of OpenAI's models from gpt-4o on, and cl100k_base
// for the older ones. For models of other providers, which publish none, o200k_base is the estimate.
type BPE struct {
	o200k, cl100k func() tokenizer.Codec
}

// NewBPE makes a tokenizer. The vocabularies are loaded when they are first needed.
func NewBPE() *BPE {
	load := func(encoding tokenizer.Encoding) func() tokenizer.Codec {
		return sync.OnceValue(func() tokenizer.Codec {
			codec, err := tokenizer.Get(encoding)
			if err != nil {
				return nil // an encoding that the library does not have; the tests would tell
			}
			return codec
		})
	}
	return &BPE{o200k: load(tokenizer.O200kBase), cl100k: load(tokenizer.Cl100kBase)}
}

// olderModels are the beginnings of the names of models with the encoding cl100k_base.
var olderModels = []string{"gpt-4-", "gpt-3.5", "gpt-35", "text-embedding-"}

// Count counts the tokens of a text.
func (b *BPE) Count(model, text string) int64 {
	if text == "" {
		return 0
	}
	codec := b.o200k()
	name := modelName(model)
	if name == "gpt-4" {
		codec = b.cl100k()
	}
	for _, prefix := range olderModels {
		if strings.HasPrefix(name, prefix) {
			codec = b.cl100k()
		}
	}
	head := cut(text, maxTokenized)
	return scaled(countChunks(codec, head), int64(len(head)), int64(len(text)))
}

// countChunks counts a text chunk by chunk, so that no text makes the tokenizer slow. A chunk ends at a line's or a word's
// end where it has one.
func countChunks(codec tokenizer.Codec, text string) int64 {
	var sum int64
	for text != "" {
		chunk := cut(text, tokenChunk)
		if len(chunk) < len(text) {
			if end := strings.LastIndexAny(chunk, "\n "); end > 0 {
				chunk = chunk[:end]
			}
		}
		text = text[len(chunk):]
		n, err := 0, error(nil)
		if codec != nil {
			n, err = codec.Count(chunk)
		}
		if codec == nil || err != nil {
			n = (utf8.RuneCountInString(chunk) + 3) / 4 // the usual rule of thumb
		}
		sum += int64(n)
	}
	return sum
}

// scaled extrapolates a count from a part to the whole, rounded down.
func scaled(count, part, whole int64) int64 {
	if part <= 0 || whole <= part {
		return count
	}
	return int64(float64(count) * (float64(whole) / float64(part)))
}

// bodyTokens counts the tokens of a result's body. A body that was cut when it was stored counts with its whole length.
func bodyTokens(t Tokenizer, model string, result *transcript.Result) int64 {
	if result == nil {
		return 0
	}
	return scaled(t.Count(model, result.Body), int64(len(result.Body)), int64(result.BodyLength))
}
