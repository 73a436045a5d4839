package metrics

// How harnesses word what is no failure of a tool. The patterns look at the text of a result without its wrapper tags.
var (
	// A person said no.
	defaultRefusals = []string{
		`(?i)^(?:error:\s*)?the user (?:doesn't|does not|did not|didn't) want to (?:proceed|take this action|run|execute|continue)`,
		`(?i)^(?:error:\s*)?(?:the )?user (?:has )?(?:rejected|denied|declined|refused|(?:did not|didn't) (?:approve|allow|confirm)|(?:chose|opted) not to)\b`,
		`(?i)^(?:error:\s*)?(?:(?:the|this|tool|command|exec|execution|patch|permission|request|call|use|usage|action|edit|operation|file|write|access|approval|was|is|has|been|to|run|function)\s+){0,8}(?:denied|rejected|declined|refused|not approved|disapproved) by (?:the )?(?:user|human|operator)(?:[\s.:;,!]|$)`,
		`(?i)^\[?operation cancell?ed\]?\s*(?:reason:\s*)?(?:the )?user (?:did not|didn't) (?:allow|approve)`,
	}
	// It never ran, or was stopped.
	defaultCancellations = []string{
		`(?i)^(?:error:\s*)?sibling tool call (?:errored|failed)`,
		`(?i)^cancell?ed:\s*(?:parallel|sibling) tool call`,
		`(?i)^\[?request interrupted by (?:the )?user`,
		`(?i)^(?:error:\s*)?\[?(?:(?:the|this|tool|command|exec|execution|request|call|use|operation|task|was|is|has|been|function)\s+){0,6}(?:interrupted|aborted|cancell?ed|stopped|killed) by (?:the )?(?:user|human|operator)(?:[\s.:;,!\]]|$)`,
		`(?i)^(?:the )?user (?:cancell?ed|interrupted|aborted|stopped) (?:the |this )?(?:tool|command|request|call|operation|execution|action|task|run)`,
		`(?i)^(?:error:\s*)?\[?(?:the )?(?:tool|operation|request|command|function)(?: (?:call|use|execution))?(?: was| has been)? (?:cancell?ed|aborted|interrupted)[.!\]]*\s*$`,
		`(?i)^(?:the )?tool (?:call|use) (?:was )?skipped (?:because|since|due to)`,
	}
	// There is no tool of that name.
	defaultUnknownTools = []string{
		`(?i)^(?:model tried to call |the model (?:called|tried to call) )?(?:an? )?(?:no such|unknown|unavailable|nonexistent|non-existent|unrecognized|invalid) tool(?:[ -]name)?\b`,
		`(?i)^tool (?:name )?(?:is )?(?:not found|does not exist|unknown)`,
		`(?i)^(?:the )?tool (?:named |name )?["'\x60]?[\w.:/-]+["'\x60]? (?:(?:is |was )?not found|(?:does not|doesn't) exist|is (?:not (?:a valid|available|registered|defined|known|recognized|supported)|unknown|unavailable))`,
		`(?i)^["'\x60]?[\w.:/-]+["'\x60]? is not (?:a|an) (?:valid|known|available|registered|existing) (?:tool|function)\b`,
		`(?i)^(?:unknown|no such|unsupported) (?:function|tool call)\b`,
		`(?i)^function ["'\x60]?[\w.:/-]+["'\x60]? (?:(?:is |was )?not found|(?:does not|doesn't) exist)(?: in (?:the )?(?:tools?|registry|agent))`,
	}
)

// unknownToolCodes are the codes, folded, by which an error says that there is no such tool.
var unknownToolCodes = map[string]bool{
	"unknown_tool": true, "tool_not_found": true, "no_such_tool": true, "tool_unknown": true, "invalid_tool": true, "nosuchtool": true,
	"no_such_tool_error": true, "tool_does_not_exist": true,
}
