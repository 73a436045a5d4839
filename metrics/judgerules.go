package metrics

// JudgeRule is one way in which a result is judged, as it is documented.
type JudgeRule struct {
	Name  string // stored with the call and filtered on: stable
	Title string
	Text  string
}

// The names of the rules. Those of rule 3 begin with RuleBody.
const (
	RuleNoResult      = "no_result"
	RuleRefused       = "refused"
	RuleRefusedText   = "refused_text"
	RuleCancelled     = "cancelled"
	RuleCancelledText = "cancelled_text"
	RuleRunning       = "running"
	RuleBenignExit    = "benign_exit"
	RuleFlag          = "flag"
	RuleErrorType     = "error_type"
	RuleExitStatus    = "exit_status"
	RuleBody          = "body_"
	RuleOpening       = "opening"
	RuleClosing       = "closing"
	RuleExitLine      = "exit_line"
)

// JudgeRules lists the rules in the order in which they are tried. The first that applies wins.
var JudgeRules = []JudgeRule{
	{RuleNoResult, "No result", "No result of the call is known: it is pending."},
	{RuleRefused, "Refused", "The log says that a person refused the call. It is no error."},
	{RuleCancelled, "Cancelled", "The log says that the call never ran. It is no error."},
	{RuleRunning, "Still running", "The log says that the command still runs, or its exit status is -1. It is no error."},
	{RuleRefusedText, "Refused, in words", "The text of the result says that a person refused the call."},
	{RuleCancelledText, "Cancelled, in words", "The text of the result says that the call was interrupted, or taken down by a failing sibling."},
	{RuleBenignExit, "Status that means no", "A command such as grep or diff ended with the status by which it means no, and wrote no error. It is no error."},
	{RuleFlag, "Flagged", "The provider or protocol flags the result as an error."},
	{RuleErrorType, "Error type", "The span of the call carries an error.type."},
	{RuleExitStatus, "Exit status", "The record's metadata hold an exit status other than 0."},
	{RuleBody + "ok_false", "ok: false", "The body is an object with ok false."},
	{RuleBody + "success_false", "success: false", "The body is an object with success false."},
	{RuleBody + "is_error", "isError: true", "The body is an object with isError true."},
	{RuleBody + "error", "error", "The body is an object whose error is true, a non-empty string or object."},
	{RuleBody + "errors", "errors", "The body is an object with non-empty errors."},
	{RuleBody + "error_code", "error_code", "The body is an object with an error_code that is neither empty nor 0."},
	{RuleBody + "problem_details", "Problem details", "The body is an object with a title or type and a status of 400 or more (RFC 9457)."},
	{RuleBody + "code_message_retryable", "Contract", "The body is an object with code, message and retryable."},
	{RuleBody + "status_number", "Status beside a message", "The body is an object with a message and a status, status_code or statusCode of 400 or more."},
	{RuleOpening, "Opening", "The body is text and starts with a known opening."},
	{RuleClosing, "Closing", "The body is text and ends in a known closing, on a line of its own below an empty one."},
	{RuleExitLine, "Exit line", "The body is text and has, at its start or end, a line for an exit status other than 0."},
}

// defaultOpenings are those of section 2 of the specification, and those by which frameworks tell a model of a failed call.
var defaultOpenings = []string{
	"Error:", "Error executing", "Traceback (most recent call last)", "Exception", "<tool_use_error>", "<error>",
	"Error invoking tool",                                 // LangGraph's ToolNode
	"An error occurred while running the tool.",           // OpenAI Agents SDK
	"An error occurred while parsing tool arguments.",     // the same
	"The tool execution failed with the following error:", // Cline and its relatives
	"MCP error -", // MCP's SDKs, followed by the code of JSON-RPC
}

// defaultClosings are lines that a framework puts below whatever a tool said.
var defaultClosings = []string{
	"Fix the errors and try again.", // Pydantic AI's retry prompt
}
