package metrics

import "errata/transcript"

// Fold brings a code to lower snake case: the form that figures are grouped by.
func Fold(code transcript.Code) transcript.Code { return code }

// MinedCode makes a code of a message: "~" and the slug of what is left of it without its volatile parts.
func (r *Rules) MinedCode(message string) (transcript.Code, string) { return "", "" }
