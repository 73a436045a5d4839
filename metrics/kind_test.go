package metrics

import (
	"strings"
	"testing"
)

func TestKindOfValues(t *testing.T) {
	f := func(rejected, accepted, want string) {
		t.Helper()
		if got := kindOfValues(rejected, accepted); got != want {
			t.Errorf("%s -> %s is %s, want %s", rejected, accepted, got, want)
		}
	}
	f(`"OPEN"`, `"open"`, "case")
	f(`" open"`, `"open"`, "case")
	f(`"5"`, `5`, "format")
	f(`"5.0"`, `"5"`, "format")
	f(`"1,000"`, `1000`, "format")
	f(`"1,5"`, `15`, "alias") // a decimal comma, perhaps
	f(`"007"`, `7`, "format")
	f(`"yes"`, `true`, "format")
	f(`"False"`, `false`, "format")
	f(`"yes"`, `false`, "alias")
	f(`"2026-01-05"`, `"05.01.2026"`, "format")
	f(`"2026-01-05"`, `"2026-01-05T00:00:00Z"`, "format")
	f(`"2026-01-05"`, `"2026-01-05T10:00:00Z"`, "alias")
	f(`"2026-01-05"`, `"2026-01-06"`, "typo") // two dates that one slip makes of each other
	f(`"Jan 5, 2026"`, `"2026/01/05"`, "format")
	f(`"opne"`, `"open"`, "typo")
	f(`"ope"`, `"open"`, "alias")           // at least four characters both
	f(`"opens"`, `"open"`, "typo")          // one insertion
	f(`"opened"`, `"open"`, "alias")        // two, too short
	f(`"cancelled"`, `"cancld"`, "alias")   // three
	f(`"cancelled"`, `"canceled"`, "typo")  // one of eight
	f(`"canceelled"`, `"canceled"`, "typo") // two of eight
	f(`"in-progress"`, `"in_progress"`, "typo")
	f(`"ACTIVE"`, `"open"`, "alias")
	long := strings.Repeat("abcdefghij", 20)
	f(`"`+long+`"`, `"`+long[:100]+"x"+long[101:]+`"`, "typo") // however long, one slip
	f(`"`+long+`"`, `"`+long[:100]+"xyz"+long[103:]+`"`, "alias")
}

func TestDamerau(t *testing.T) {
	f := func(a, b string, want int) {
		t.Helper()
		if got := damerau([]rune(a), []rune(b)); got != want {
			t.Errorf("distance of %s and %s is %d, want %d", a, b, got, want)
		}
	}
	f("", "abc", 3)
	f("abc", "abc", 0)
	f("abcd", "acbd", 1)
	f("ca", "abc", 2) // unrestricted: the restricted distance is 3
	f("kitten", "sitting", 3)
}

func TestLooksSensitive(t *testing.T) {
	f := func(value string, want bool) {
		t.Helper()
		if got := LooksSensitive(value); got != want {
			t.Errorf("LooksSensitive(%q) is %v", value, got)
		}
	}
	f("ann.lee@example.com", true)
	f("mail to ann@example.co.uk now", true)
	f("+49 30 1234567", true)
	f("(030) 123-4567", true)
	f("555-123-4567", true)
	f("030 1234567", true)
	f("4915112345678901234", false)
	f("01512345678", true)
	f("sk-"+"abcdefghijklmnop1234", true)
	f("AKIA"+"IOSFODNN7EXAMPLE", true)
	f("ghp_"+"16C7e42F292c6912E7710c838347Ae178B4a", true)
	f("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", true)
	f("Bearer abcdef123456", true)
	f("postgres://user:hunter22@db/x", true)
	f("9f86d081884c7d659a2feaa0c55ad015", true)
	f("xK9mQ2vL8pR4tY7wZ3nB6c", true)
	f("open", false)
	f("OPEN", false)
	f("T-8841", false)
	f("2026-01-05", false)
	f("2026-01-05T10:00:00Z", false)
	f("1000000", false)
	f("/srv/data/reports/2026/january.csv", false)
	f("absolute_path", false)
	f("customer_support_ticket_priority_high", false)
	f("https://example.com/tickets/8841", false)
	f("claude-3-5-sonnet-20241022", false)
	f("192.168.100.200", false)
	f("find_customer_by_order_id", false)
	f("", false)
}
