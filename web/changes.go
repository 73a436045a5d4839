package web

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"errata/web/ui"
	"errata/web/view"
)

// Bounds of what is compared.
const (
	maxCompared     = 64 << 10
	maxChanges      = 20
	maxChangedValue = 200
)

// changed lists what differs between the arguments of two calls, by leaf.
func changed(before, after string) (lines []view.Change, same bool) {
	if before == after {
		return nil, true
	}
	if len(before) > maxCompared || len(after) > maxCompared {
		return nil, false
	}
	was, now := leaves(before), leaves(after)
	paths := slices.Sorted(maps.Keys(was))
	for path := range now {
		if _, ok := was[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		if was[path] != now[path] && len(lines) < maxChanges {
			lines = append(lines, view.Change{Path: ui.Visible(path), Before: short(was[path]), After: short(now[path])})
		}
	}
	return lines, len(lines) == 0
}

func short(text string) string {
	head, rest := ui.Cut(text, maxChangedValue)
	if rest != "" {
		head += " …"
	}
	return ui.Visible(head)
}

// leaves gives every scalar of a JSON text by its pointer. A text that is no object is one leaf.
func leaves(text string) map[string]string {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	all := map[string]string{}
	if decoder.Decode(&value) != nil {
		all["/"] = text
		return all
	}
	if inner, ok := value.(string); ok && strings.HasPrefix(strings.TrimSpace(inner), "{") && json.Unmarshal([]byte(inner), &value) != nil {
		value = inner
	}
	gather(all, "", value)
	return all
}

func gather(all map[string]string, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			gather(all, path+"/"+pointerEscape.Replace(name), inner)
		}
		if len(v) == 0 && path != "" {
			all[path] = "{}"
		}
	case []any:
		text, _ := json.Marshal(v)
		all[path] = string(text)
	default:
		text, _ := json.Marshal(v)
		all[orElse(path, "/")] = string(text)
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")
