// Package responses reads the items of OpenAI's Responses interface: messages, reasoning, calls of functions, of tools
// that take free text, of the shell, of patches and of MCP servers, and their outputs. Requests and responses of the
// interface, logs of gateways and sessions of programs that keep the items are made of them.
//
// Items are no turns: all of them between two inputs are one generation. GenerationBetweenInputs says so of the
// messages made here, whose order must be known by their positions.
package responses

// GenerationBetweenInputs is the name that all generations of a history of items share. A name counts only until
// something comes back, so that the items between two inputs are one turn.
const GenerationBetweenInputs = "items"
