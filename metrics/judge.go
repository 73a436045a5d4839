package metrics

import (
	"slices"
	"strings"

	"errata/transcript"
)

// Judgement is what one result was judged to be, and what it says.
type Judgement struct {
	Outcome       Outcome
	Rule          string                 // name of the rule that decided, see JudgeRules; "" for a plain success
	Error         transcript.ErrorObject // of errors only
	Code          transcript.Code        // as sent or mined
	Folded        transcript.Code        // what figures are grouped by
	Template      string                 // the message with its volatile parts as placeholders
	Notes         transcript.ParseNotes
	FlagDisagrees bool // the log flags success, the body says error
	UserSpoke     bool // a refusal or an interruption: counts as a user message
	NoSuchTool    bool // there is no tool of that name
}

// Judge says whether a result is an error, and what it says. A nil result is a call without one.
func (r *Rules) Judge(call transcript.Call, result *transcript.Result) Judgement {
	if result == nil {
		return Judgement{Outcome: OutcomePending, Rule: RuleNoResult}
	}
	j := Judgement{Outcome: OutcomeOK, Notes: transcript.SkimBody(result.Body)}
	parsed := parsedBody{body: result.Body}
	if r.noErrorAfterAll(call, result, &parsed, &j) {
		return j
	}
	j.Rule = r.errorRule(result, &j.Notes)
	if j.Rule == "" {
		return j
	}
	j.Outcome = OutcomeError
	j.FlagDisagrees = result.Flag == transcript.FlagOK
	r.readError(&parsed, &j)
	j.NoSuchTool = call.Unknown || r.saysNoSuchTool(call.Tool, &j)
	return j
}

// parsedBody is the body of a result, read once and only where what it says is asked for.
type parsedBody struct {
	body   string
	read   bool
	object transcript.ErrorObject
	notes  transcript.ParseNotes
}

func (p *parsedBody) says() (transcript.ErrorObject, transcript.ParseNotes) {
	if !p.read {
		p.object, p.notes = transcript.ParseError(p.body)
		p.read = true
	}
	return p.object, p.notes
}

// noErrorAfterAll is the first rule of section 2: what is no failure of the tool, however the log flags it.
func (r *Rules) noErrorAfterAll(call transcript.Call, result *transcript.Result, parsed *parsedBody, j *Judgement) bool {
	switch result.Fate {
	case transcript.FateRefused:
		j.Outcome, j.Rule, j.UserSpoke = OutcomeRefused, RuleRefused, true
		return true
	case transcript.FateCancelled:
		j.Outcome, j.Rule = OutcomeCancelled, RuleCancelled
		j.UserSpoke = namesUser(opening(result.Body))
		return true
	case transcript.FateRunning:
		j.Rule = RuleRunning
		return true
	}
	if r.declined(result, parsed, j) {
		return true
	}
	status, known := r.exitStatus(result)
	if !known {
		return false
	}
	if status == -1 && result.Flag != transcript.FlagError {
		j.Rule = RuleRunning
		return true
	}
	if status > 0 && r.isBenignExit(call, result.Body, status) {
		j.Rule = RuleBenignExit
		return true
	}
	return false
}

// declined finds the text forms of refusals and cancellations.
func (r *Rules) declined(result *transcript.Result, parsed *parsedBody, j *Judgement) bool {
	text := opening(result.Body)
	if j.Notes.SaysError != "" || j.Notes.JSON && result.Flag == transcript.FlagError {
		object, _ := parsed.says()
		text = opening(object.Message)
	}
	for i := range r.refusals {
		if r.refusals[i].matches(text) {
			j.Outcome, j.Rule, j.UserSpoke = OutcomeRefused, RuleRefusedText, true
			return true
		}
	}
	for i := range r.cancellations {
		if r.cancellations[i].matches(text) {
			j.Outcome, j.Rule, j.UserSpoke = OutcomeCancelled, RuleCancelledText, namesUser(text)
			return true
		}
	}
	return false
}

// opening is the beginning of a body, without wrapper tags: all that is looked at for an opening.
func opening(body string) string {
	text, _ := transcript.Unwrap(cut(strings.TrimSpace(cut(body, scanLength)), 400))
	return text
}

// namesUser tells whether it was a person who stopped a call.
func namesUser(text string) bool {
	return strings.Contains(strings.ToLower(text), "user")
}

// errorRule names the first of the rules 2 to 4 of section 2 that makes a result an error, "" where none does.
func (r *Rules) errorRule(result *transcript.Result, notes *transcript.ParseNotes) string {
	switch {
	case result.Flag == transcript.FlagError:
		return RuleFlag
	case result.ErrorType != "":
		return RuleErrorType
	case result.ExitCode != nil && *result.ExitCode != 0 && *result.ExitCode != -1:
		return RuleExitStatus
	case notes.SaysError != "":
		return RuleBody + notes.SaysError
	case notes.JSON:
		return ""
	case r.opensAsError(result.Body):
		return RuleOpening
	case r.closesAsError(result.Body):
		return RuleClosing
	}
	if status, ok := r.exitLineStatus(result.Body); ok && status != 0 && status != -1 {
		return RuleExitLine
	}
	return ""
}

// opensAsError tells whether a text starts with a known opening. One that ends in a letter must end a word.
func (r *Rules) opensAsError(body string) bool {
	text := strings.TrimSpace(cut(body, scanLength))
	for _, opening := range r.Openings {
		rest, ok := strings.CutPrefix(text, opening)
		if !ok {
			continue
		}
		if !endsInLetter(opening) || rest == "" || !startsWithLetter(rest) {
			return true
		}
	}
	return false
}

// closesAsError tells whether a text ends in a known closing: a line of its own below an empty one, without an indent, as a
// framework puts it below what a tool said. A file that quotes such a text rarely ends in it so.
func (r *Rules) closesAsError(body string) bool {
	text := strings.TrimRight(body, " \t\r\n")
	return slices.ContainsFunc(r.Closings, func(closing string) bool { return strings.HasSuffix(text, "\n\n"+closing) })
}

// readError reads what an error says, and gives it a code.
func (r *Rules) readError(parsed *parsedBody, j *Judgement) {
	j.Error, j.Notes = parsed.says()
	message := j.Error.Message
	if message == "" {
		message = strings.ReplaceAll(j.Notes.SaysError, "_", " ")
	}
	mined, template := r.MinedCode(message)
	j.Template = template
	switch {
	case j.Error.Code != "":
		j.Code = j.Error.Code
	case strings.TrimSpace(parsed.body) == "":
		j.Code = EmptyError
	default:
		j.Code = mined
	}
	j.Folded = Fold(j.Code)
}

// saysNoSuchTool tells whether an error says that there is no tool of the name that was called.
func (r *Rules) saysNoSuchTool(tool transcript.Tool, j *Judgement) bool {
	if unknownToolCodes[string(j.Folded)] {
		return true
	}
	text := r.gist(j.Error.Message)
	names := strings.Contains(strings.ToLower(text), strings.ToLower(string(tool)))
	if !names && len(strings.Fields(text)) > 5 {
		return false // it speaks of another tool
	}
	for i := range r.unknownTools {
		if r.unknownTools[i].matches(text) {
			return true
		}
	}
	return false
}
