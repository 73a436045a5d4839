package exchange_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"errata/pipeline/format/exchange"
	"errata/transcript"
)

// framed writes events as Amazon does, each a name and a payload.
func framed(t *testing.T, events ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := eventstream.NewEncoder()
	for i := 0; i < len(events); i += 2 {
		message := eventstream.Message{Payload: []byte(events[i+1])}
		message.Headers.Set(":event-type", eventstream.StringValue(events[i]))
		if err := encoder.Encode(&out, message); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func answerTo(request string, response []byte) (*transcript.Message, error) {
	book := exchange.NewBook()
	if err := book.Add(exchange.Exchange{Request: []byte(request), Response: response, Run: "r"}); err != nil {
		return nil, err
	}
	messages := book.Fragments()[0].Messages
	return &messages[len(messages)-1], nil
}

// TestEventStreams reads what Bedrock streams, by its own interface and by that of a model, whole and cut.
func TestEventStreams(t *testing.T) {
	f := func(name, request string, stream []byte, want string) {
		t.Helper()
		m, err := answerTo(request, stream)
		if err != nil || len(m.Calls) != 1 || m.Usage == nil {
			t.Fatalf("%s: %+v, %v", name, m, err)
		}
		got := fmt.Sprintf("%s %s %s %d+%d", m.Text, m.Calls[0].Tool, m.Calls[0].Arguments, m.Usage.Input, m.Usage.Output)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		for i := range stream {
			if m, err := answerTo(request, stream[:i]); err == nil && m.Role == transcript.RoleAssistant && len(m.Calls) > 1 {
				t.Errorf("%s, cut at %d: %+v", name, i, m)
			}
		}
	}
	converse := framed(t,
		"messageStart", `{"role":"assistant","p":"abc"}`,
		"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"I lo"}}`,
		"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"ok."}}`,
		"contentBlockStart", `{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"weather"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"city\":"}}}`,
		"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"toolUse":{"input":"\"Rome\"}"}}}`,
		"messageStop", `{"stopReason":"tool_use"}`,
		"metadata", `{"usage":{"inputTokens":5,"outputTokens":7,"totalTokens":12}}`)
	f("converse", `{"messages":[{"role":"user","content":[{"text":"Weather?"}]}]}`, converse, `I look. weather {"city":"Rome"} 5+7`)

	chunk := func(text string) string { return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}` }
	invoked := framed(t,
		"chunk", chunk(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`),
		"chunk", chunk(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`),
		"chunk", chunk(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look."}}`),
		"chunk", chunk(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"weather","input":{}}}`),
		"chunk", chunk(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\":\"Rome\"}"}}`),
		"chunk", chunk(`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`))
	f("invoke model", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Weather?"}]}]}`, invoked, `I look. weather {"city":"Rome"} 5+7`)
}
