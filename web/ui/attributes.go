package ui

import "github.com/a-h/templ"

// home is the address of the first page.
func home(f Frame) string {
	if len(f.Nav) == 0 {
		return "/"
	}
	return f.Nav[0].Href
}

// here marks the link to the page that is shown.
func here(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}

// sorted says how a column is sorted.
func sorted(order string) templ.Attributes {
	if order == "" {
		return nil
	}
	return templ.Attributes{"aria-sort": order}
}

// arrow shows how a column is sorted.
func arrow(order string) string {
	switch order {
	case "ascending":
		return "\u00a0▲"
	case "descending":
		return "\u00a0▼"
	}
	return ""
}

func kind(numeric bool) string {
	if numeric {
		return "num"
	}
	return ""
}

// numeric says whether the column of a cell holds numbers.
func (t Table) numeric(column int) bool { return column < len(t.Columns) && t.Columns[column].Numeric }
