package metrics

import (
	"strings"
	"testing"
	"unicode/utf8"

	"errata/transcript"
)

func TestFold(t *testing.T) {
	f := func(code, want transcript.Code) {
		t.Helper()
		if got := Fold(code); got != want {
			t.Errorf("Fold(%q) = %q, want %q", code, got, want)
		}
	}
	f("RATE_LIMITED", "rate_limited")
	f("rate_limited", "rate_limited")
	f("rate-limited", "rate_limited")
	f("RateLimited", "rate_limited")
	f("rate limited", "rate_limited")
	f("rate.limited", "rate_limited")
	f("InvalidStatus", "invalid_status")
	f("HTTPError", "http_error")
	f("HTTP2Error", "http2_error")
	f("E_NOT_FOUND", "e_not_found")
	f("404", "404")
	f("-32602", "-32602")
	f("~invalid_status", "~invalid_status")
	f("__x__", "x")
	f("Ошибка", "ошибка")
	f("---", "---")
	f("", "")
}

func TestMinedCode(t *testing.T) {
	rules := DefaultRules()
	f := func(message string, want transcript.Code) {
		t.Helper()
		if got, template := rules.MinedCode(message); got != want {
			t.Errorf("%q is %q (%s), want %q", message, got, template, want)
		}
	}
	f("Invalid status", "~invalid_status")
	f("invalid  status.", "~invalid_status")
	f("Error: Invalid status", "~invalid_status")
	f("flight HAT030 not available on date 2024-05-13", "~flight_not_available_on_date")
	f("payment method certificate_7504069 not found", "~payment_method_not_found")
	f("payment amount does not add up, total price is 375, but paid 299", "~payment_amount_does_not_add_up_total_price_is_but_paid")
	f("Ticket T-8841 is closed", "~ticket_is_closed")
	f(`"OPEN" is not a valid status`, "~is_not_a_valid_status")
	f("value 'a b' is wrong", "~value_is_wrong")
	f("user doesn't exist", "~user_doesnt_exist")
	f("user 3f2504e0-4f89-11d3-9a0c-0305e82c3301 missing", "~user_missing")
	f("commit 082c2c4495629bd585a0a11807b4e0ede9a99753 missing", "~commit_missing")
	f("cannot open /home/me/x y.txt", "~cannot_open_y_txt")
	f(`cannot open C:\Users\me\x.txt`, "~cannot_open")
	f("cannot open src/a/b.go", "~cannot_open")
	f("GET https://x.example/a?b=1 failed after 3.2s", "~get_failed_after")
	f("mail to ann@x.example bounced at 2024-05-13T10:00:00Z", "~mail_to_bounced_at")
	f("timed out after 30 seconds (attempt 2 of 5)", "~timed_out_after")
	f("attempt 3/5 failed", "~failed")
	f("无效的状态", "~无效的状态")
	f("Ungültiger Status „offen“", "~ungültiger_status")
	f("503", "~number")
	f("!!!", "~unspecified")
	long, _ := rules.MinedCode(strings.Repeat("word ", 40))
	if n := utf8.RuneCountInString(string(long)); n > 61 || n < 50 {
		t.Errorf("long code %q of %d characters", long, n)
	}
	other, _ := rules.MinedCode(strings.Repeat("word ", 39) + "end")
	if other == long {
		t.Error("messages that differ after the cut should keep two codes")
	}
}

func TestTemplate(t *testing.T) {
	rules := DefaultRules()
	if got := rules.Template("Error: flight HAT030 not on 2024-05-13 for 'x'"); got != "flight <id> not on <time> for <value>" {
		t.Error(got)
	}
}
