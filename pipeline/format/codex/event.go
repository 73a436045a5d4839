package codex

import (
	"strings"
	"time"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/pipeline/format/responses"
	"errata/transcript"
)

// event reads what the program tells beside the conversation.
func (r *reader) event(payload []byte, at time.Time) error {
	var e event
	if err := unmarshal(payload, &e); err != nil {
		return err
	}
	switch e.Type {
	case "token_count":
		r.flush(at)
		r.count(e.Info)
	case "turn_aborted":
		if e.Reason.Text != "interrupted" || r.toldOfInterruption() {
			return nil
		}
		r.flush(at)
		r.add(transcript.Message{Role: transcript.RoleUser, Time: at, Text: "<turn_aborted>"})
	case "patch_apply_end":
		if e.Success != nil && e.CallID != "" {
			r.mark(e.CallID, flagOf(!*e.Success))
		}
	case "mcp_tool_call_end":
		if failed, known := mcpFailed(e.Result); known && e.CallID != "" {
			r.mark(e.CallID, flagOf(failed))
		}
	}
	return nil
}

func flagOf(failed bool) transcript.Flag {
	if failed {
		return transcript.FlagError
	}
	return transcript.FlagOK
}

// mcpFailed reads how a call of an MCP server ended: {"Ok": {…, "isError": …}} or {"Err": …}.
func mcpFailed(result []byte) (failed, known bool) {
	if len(result) == 0 || result[0] != '{' {
		return false, false
	}
	var wire struct {
		Ok *struct {
			IsError field.Truth `json:"isError"`
		} `json:"Ok"`
		Err field.Raw `json:"Err"`
	}
	if record.Unmarshal(result, &wire) != nil || (wire.Ok == nil && wire.Err.IsNull()) {
		return false, false
	}
	return wire.Ok == nil || wire.Ok.IsError.State == transcript.True, true
}

// count adds what was used since the last count to the model's last message. The program tells the count again and
// again; what does not grow adds nothing, and one that falls begins anew.
func (r *reader) count(info *tokenInfo) {
	if info == nil || info.Total == nil {
		return
	}
	used := *info.Total
	switch before := r.total; {
	case before != nil && used.Input >= before.Input && used.Output >= before.Output:
		used = used.since(*before)
	case info.Last != nil:
		used = *info.Last
	}
	r.total = info.Total
	h := r.at
	usage := used.usage()
	if h.spoke < 0 || usage == nil {
		return
	}
	m := &h.messages[h.spoke]
	if m.Usage != nil {
		usage.Input += m.Usage.Input
		usage.CacheRead += m.Usage.CacheRead
		usage.Output += m.Usage.Output
	}
	m.Usage = usage
}

// mark notes what an event says of a call, on its result where that has come already.
func (r *reader) mark(call string, flag transcript.Flag) {
	messages := r.at.messages
	const near = 64
	for i := len(messages) - 1; i >= max(len(messages)-near, 0); i-- {
		for k := range messages[i].Results {
			if result := &messages[i].Results[k]; result.CallID == call {
				if result.Flag == transcript.FlagUnset {
					result.Flag = flag
				}
				return
			}
		}
	}
	r.marks[call] = flag
}

// judge adds to a result what events and the program's own words say of it.
func (r *reader) judge(result *transcript.Result) {
	if result.ExitCode == nil {
		responses.Metadata(field.Raw{Text: result.Body, Kind: '"'}, result)
	}
	if flag, known := r.marks[result.CallID]; known {
		result.Flag = flag
		delete(r.marks, result.CallID)
	}
	switch {
	case result.Body == "aborted":
		result.Fate = transcript.FateCancelled
	case stillRuns(result.Body):
		result.Fate = transcript.FateRunning
	case result.Flag == transcript.FlagUnset && result.ExitCode == nil && failed(result.Body):
		result.Flag = transcript.FlagError
	}
}

// stillRuns looks for the line by which the program says that a command goes on, before the command's own output.
func stillRuns(body string) bool {
	for range 5 {
		line, rest, more := strings.Cut(body, "\n")
		if strings.HasPrefix(line, "Process running with session ID") {
			return true
		}
		if !more || line == "Output:" {
			return false
		}
		body = rest
	}
	return false
}

// failed tells the words with which the program answers a call that it could not carry out. They take the place of the
// lines with which it opens the output of a command, so that a command cannot have written them.
func failed(body string) bool {
	for _, opening := range failures() {
		if strings.HasPrefix(body, opening) {
			return true
		}
	}
	return false
}

func failures() []string {
	return []string{
		"apply_patch verification failed", "apply_patch handler received", "failed to parse function arguments", "failed to parse exec_command",
		"failed to parse arguments", "exec_command failed", "write_stdin failed", "unsupported call: ", "unsupported custom tool call: ",
		"unsupported payload", "execution error: ", "failed in sandbox", "execution denied", "unable to locate image", "unable to read image",
		"tool call error: ", "err: ", "js_repl execution failed", "js_repl kernel", "collab spawn failed", "collab tool failed",
		"resources/read failed", "resources/list failed", "agent with id ", "unknown process id", "missing field", "invalid workdir",
	}
}

// toldOfInterruption tells whether the conversation itself says that it was interrupted.
func (r *reader) toldOfInterruption() bool {
	n := len(r.at.messages)
	return n > 0 && interrupted(r.at.messages[n-1].Text)
}

// interrupted tells the words by which the program notes that a person stopped it.
func interrupted(text string) bool { return strings.HasPrefix(text, "<turn_aborted>") }

// injected tells text that the program put into user messages.
func injected(text string) bool {
	text = strings.TrimSpace(text)
	for _, opening := range []string{
		"# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<permissions instructions>",
		"<skill>", "<user_shell_command>", "<subagent_notification>", "<collaboration_mode>", "<turn_aborted>", "<apps_instructions>",
		"<skills_instructions>", "<plugins_instructions>", "<model_switch>", "<personality_spec>",
	} {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return false
}
