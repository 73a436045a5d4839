package ui

import (
	"strings"

	"github.com/a-h/templ"
)

// The themes that a reader may choose; Auto leaves it to the reader's system.
const (
	ThemeAuto  = "auto"
	ThemeLight = "light"
	ThemeDark  = "dark"
)

// themes are the choices, as a value and a word.
func themes() []Key {
	return []Key{{ThemeAuto, "as the system"}, {ThemeLight, "light"}, {ThemeDark, "dark"}}
}

func pressed(name, choice string) string {
	if name == choice || name == "" && choice == ThemeAuto {
		return "true"
	}
	return "false"
}

// themed marks the page where the reader chose.
func themed(name string) templ.Attributes {
	if name != ThemeLight && name != ThemeDark {
		return nil
	}
	return templ.Attributes{"data-theme": name}
}

// each are the keys one by one.
func (k Key) each() []string { return strings.Fields(k.Keys) }

// everywhere are the keys that every page has.
func everywhere(nav []NavLink) []Key {
	keys := []Key{
		{"f", "change filters"}, {"x", "clear filters"}, {"p", "stop or go on following, where a page follows"}, {"?", "this list"},
	}
	for _, link := range nav {
		if link.Key != "" {
			keys = append(keys, Key{link.Key, "go to " + link.Label})
		}
	}
	return keys
}
