package field

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/record"
	"errata/transcript"
)

// Count is a number of tokens. Null, and the -1 that some programs write for "unknown", are 0.
type Count int64

// UnmarshalJSONFrom reads a count; a number with a fraction is rounded.
func (c *Count) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case 'n':
		*c = 0
		return nil
	case '0':
		number, err := strconv.ParseFloat(token.String(), 64)
		const most = 1e12 // more than any model has read; keeps sums far from overflow
		if err != nil || number > most {
			return wrong("%s is more tokens than a generation can have", shorten(token.String()))
		}
		*c = Count(math.Round(max(number, 0)))
		return nil
	default:
		return wrong("a token count is a number")
	}
}

// Usage is the token count of one generation in any provider's words. Its fields tell which words they are, so that a
// gateway that writes one provider's usage beside another's messages is read right.
type Usage struct {
	// OpenAI chat. The prompt includes what was read from the cache and written to it.
	Prompt            *Count  `json:"prompt_tokens"`
	Completion        Count   `json:"completion_tokens"`
	PromptDetails     details `json:"prompt_tokens_details"`
	CompletionDetails ignored `json:"completion_tokens_details"`

	// Anthropic, whose input excludes the cache; OpenAI Responses, whose input includes it and has details.
	Input        *Count      `json:"input_tokens"`
	Output       Count       `json:"output_tokens"`
	CacheRead    Count       `json:"cache_read_input_tokens"`
	CacheWrite   Count       `json:"cache_creation_input_tokens"`
	Creation     cacheWrites `json:"cache_creation"`
	InputDetails *details    `json:"input_tokens_details"`

	// Gemini. The prompt includes the cache, thoughts stand beside the candidates.
	GeminiPrompt     *Count `json:"promptTokenCount"`
	GeminiCached     Count  `json:"cachedContentTokenCount"`
	GeminiCandidates Count  `json:"candidatesTokenCount"`
	GeminiThoughts   Count  `json:"thoughtsTokenCount"`
	GeminiToolUse    Count  `json:"toolUsePromptTokenCount"`
}

// Fill takes the counts of an object that is known to be JSON and holds nothing but whole numbers in OpenAI's words; else it
// is false, and takes nothing.
func (u *Usage) Fill(object []byte) bool {
	var read Usage
	for name, value := range record.Fields(object) {
		n, ok := wholeNumber(value)
		switch {
		case !ok:
			return false
		case string(name) == "prompt_tokens" && read.Prompt == nil:
			read.Prompt = &n
		case string(name) == "completion_tokens" && read.Completion == 0:
			read.Completion = n
		case string(name) == "total_tokens":
		default:
			return false
		}
	}
	*u = read
	return true
}

// wholeNumber reads a number of at most 12 digits and nothing else.
func wholeNumber(value []byte) (n Count, ok bool) {
	const most = 12
	if len(value) > most {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + Count(c-'0')
	}
	return n, true
}

// ignored accepts any value.
type ignored = jsontext.Value

type details struct {
	Cached   Count `json:"cached_tokens"`
	Written  Count `json:"cache_write_tokens"`
	Creation Count `json:"cache_creation_tokens"`
}

type cacheWrites struct {
	FiveMinutes Count `json:"ephemeral_5m_input_tokens"`
	OneHour     Count `json:"ephemeral_1h_input_tokens"`
}

// Join gives the larger of every count of two that are of one generation, as the chunks of a stream repeat it while it grows.
// It joins what the provider counts and not the kinds made of it: a chunk that does not tell the cache yet has it in its
// prompt.
func (u *Usage) Join(o *Usage) *Usage {
	if u == nil || o == nil {
		if u == nil {
			return o
		}
		return u
	}
	out := *u
	out.Prompt, out.Input, out.GeminiPrompt = larger(u.Prompt, o.Prompt), larger(u.Input, o.Input), larger(u.GeminiPrompt, o.GeminiPrompt)
	out.Completion, out.Output = max(u.Completion, o.Completion), max(u.Output, o.Output)
	out.PromptDetails = u.PromptDetails.join(o.PromptDetails)
	out.CacheRead, out.CacheWrite = max(u.CacheRead, o.CacheRead), max(u.CacheWrite, o.CacheWrite)
	out.Creation.FiveMinutes = max(u.Creation.FiveMinutes, o.Creation.FiveMinutes)
	out.Creation.OneHour = max(u.Creation.OneHour, o.Creation.OneHour)
	switch {
	case u.InputDetails == nil:
		out.InputDetails = o.InputDetails
	case o.InputDetails != nil:
		both := u.InputDetails.join(*o.InputDetails)
		out.InputDetails = &both
	}
	out.GeminiCached, out.GeminiToolUse = max(u.GeminiCached, o.GeminiCached), max(u.GeminiToolUse, o.GeminiToolUse)
	out.GeminiCandidates, out.GeminiThoughts = max(u.GeminiCandidates, o.GeminiCandidates), max(u.GeminiThoughts, o.GeminiThoughts)
	return &out
}

func larger(a, b *Count) *Count {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func (d details) join(o details) details {
	return details{Cached: max(d.Cached, o.Cached), Written: max(d.Written, o.Written), Creation: max(d.Creation, o.Creation)}
}

// Tokens brings the counts to one meaning: four disjoint kinds. Nil: the record counts nothing.
func (u *Usage) Tokens() *transcript.Usage {
	if u == nil {
		return nil
	}
	tokens := u.kinds()
	if tokens.Total() == 0 {
		return nil
	}
	return &tokens
}

func (u *Usage) kinds() transcript.Usage {
	switch {
	case u.Prompt != nil:
		read := max(u.PromptDetails.Cached, u.CacheRead)
		write := max(u.PromptDetails.Written, u.PromptDetails.Creation, u.CacheWrite)
		return inclusive(*u.Prompt, read, write, u.Completion)
	case u.GeminiPrompt != nil || u.GeminiCandidates+u.GeminiThoughts > 0:
		var prompt Count
		if u.GeminiPrompt != nil {
			prompt = *u.GeminiPrompt
		}
		return inclusive(prompt+u.GeminiToolUse, u.GeminiCached, 0, u.GeminiCandidates+u.GeminiThoughts)
	case u.InputDetails != nil && u.Input != nil:
		return inclusive(*u.Input, u.InputDetails.Cached, max(u.InputDetails.Written, u.InputDetails.Creation), u.Output)
	}
	var input Count
	if u.Input != nil {
		input = *u.Input
	}
	return transcript.Usage{
		Input:      int64(input),
		CacheRead:  int64(u.CacheRead),
		CacheWrite: int64(max(u.CacheWrite, u.Creation.FiveMinutes+u.Creation.OneHour)),
		Output:     int64(u.Output + u.Completion),
	}
}

// inclusive takes the cached tokens out of an input that includes them.
func inclusive(input, read, write, output Count) transcript.Usage {
	return transcript.Usage{
		Input:      int64(max(input-read-write, 0)),
		CacheRead:  int64(read),
		CacheWrite: int64(write),
		Output:     int64(output),
	}
}
