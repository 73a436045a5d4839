package metrics

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// The example of docs/codes.md is a registry, and the schema beside it says what the reader takes.
func TestRegistryAsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/codes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	r, err := ParseRegistry([]byte(example))
	if err != nil || len(r.Codes) != 4 {
		t.Fatalf("the example of docs/codes.md: %v, %+v", err, r)
	}
	text, err := os.ReadFile("../docs/codes.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Schema struct {
				Const string `json:"const"`
			} `json:"schema"`
			Codes struct {
				Items struct {
					Properties map[string]struct {
						Enum []string `json:"enum"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"codes"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties.Schema.Const; got != RegistrySchema {
		t.Errorf("the schema is for %q, the reader takes %q", got, RegistrySchema)
	}
	members := schema.Properties.Codes.Items.Properties
	for _, action := range members["next_action"].Enum {
		if action != "" && !knownNextActions[action] {
			t.Errorf("the schema has the next action %q, which the reader refuses", action)
		}
		if !strings.Contains(string(page), "`"+action+"`") && action != "" {
			t.Errorf("docs/codes.md does not name the next action %q", action)
		}
	}
	for action := range knownNextActions {
		if !slices.Contains(members["next_action"].Enum, action) {
			t.Errorf("the schema lacks the next action %q", action)
		}
	}
	var read map[string]any
	encoded, err := json.Marshal(RegisteredCode{Code: "c", Retryable: new(bool), NextAction: "stop", Description: "d"})
	if err != nil || json.Unmarshal(encoded, &read) != nil {
		t.Fatal(err)
	}
	for name := range read {
		if _, ok := members[name]; !ok {
			t.Errorf("the schema lacks the member %q", name)
		}
	}
	if len(members) != len(read) {
		t.Errorf("the schema has %d members of a code, the reader %d", len(members), len(read))
	}
}
