package metrics

import "testing"

func TestLeaks(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := leaks(text); got != want {
			t.Errorf("%d leaked calls in %q, want %d", got, text, want)
		}
	}
	f("", 0)
	f("I call the tool now.", 0)
	f("call\n<invoke name=\"Bash\">\n<parameter name=\"command\">ls</parameter>\n</invoke>", 1)
	f("<function_calls>\n<invoke name=\"a\">\n</invoke>\n<invoke name=\"b\">", 2)
	f("<ns:function_calls>\n<ns:invoke name=\"a\">", 1)
	f("<tool_call>{\"name\":\"a\"}</tool_call>\n<tool_call>{\"name\":\"b\"}</tool_call>", 2)
	f("<tool_call>\n<function=a>\n</function>\n</tool_call>", 1)
	f("The tag <invoke name=\"x\"> opens a call.", 0)  // in a sentence
	f("```xml\n<invoke name=\"x\">\n```\nas above", 0) // in a code block
	f("<div>\n<functional>", 0)
}
