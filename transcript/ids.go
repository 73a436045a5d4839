package transcript

// RunID names one execution of an agent on one task.
type RunID string

// ThreadID names a thread of a run. The empty one is the agent itself, others are its sub-agents.
type ThreadID string

// Tool is the name of a tool as the model wrote it.
type Tool string

// Code is an error code as the tool sent it, or a mined one, which starts with "~".
type Code string

// Variant is a payload variant: the error format that the model saw.
type Variant string
