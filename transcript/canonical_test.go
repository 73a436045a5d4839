package transcript

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	f := func(arguments, want string) {
		t.Helper()
		got := Canonical(arguments)
		if got.JSON != want || !got.Object || got.Malformed {
			t.Errorf("Canonical(%q) = %+v, want the object %s", arguments, got, want)
		}
	}
	f(`{"a":1,"b":2}`, `{"a":1,"b":2}`)
	f(`{ "b": 2,
	"a": 1 }`, `{"a":1,"b":2}`)
	f(`"{\"b\":2,\"a\":1}"`, `{"a":1,"b":2}`)
	f(``, `{}`)
	f(` `, `{}`)
	f(`null`, `{}`)
	f(`""`, `{}`)
	f(`{ }`, `{}`)
	f(`"{}"`, `{}`)
	f(`{"n":1.0}`, `{"n":1}`)
	f(`{"n":1e0}`, `{"n":1}`)
	f(`{"n":1E2}`, `{"n":100}`)
	f(`{"n":-0}`, `{"n":0}`)
	f(`{"n":-0.0}`, `{"n":0}`)
	f(`{"n":0.1}`, `{"n":0.1}`)
	f(`{"n":0.10}`, `{"n":0.1}`)
	f(`{"n":10e-2}`, `{"n":0.1}`)
	f(`{"n":9007199254740993}`, `{"n":9007199254740993}`)
	f(`{"n":9007199254740993.0}`, `{"n":9007199254740993}`)
	f(`{"n":9007199254740993.5}`, `{"n":90071992547409935e-1}`)
	f(`{"n":123456789012345678901234567890}`, `{"n":123456789012345678901234567890}`)
	f(`{"n":1e400}`, `{"n":1e400}`)
	f(`{"n":10e399}`, `{"n":1e400}`)
	f(`{"n":1e-400}`, `{"n":1e-400}`)
	f(`{"n":1e99999999999999999999}`, `{"n":1e2147483647}`)
	// The test vectors of RFC 8785, section 3.2.2.
	f(`{"n":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]}`, `{"n":[333333333.3333333,1e+30,4.5,0.002,1e-27]}`)
	f(`{"s":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"}`, `{"s":"€$\u000f\nA'B\"\\\\\"/"}`)
	f(`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
		"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}")
	f(`{"a":1,"a":2}`, `{"a":2}`)
	f(`{"x":[{"b":1,"b":2,"a":0}]}`, `{"x":[{"a":0,"b":2}]}`)
	f(`{"s":"1.0 -5e3"}`, `{"s":"1.0 -5e3"}`)
	f(`{"s":"a\"1.0"}`, `{"s":"a\"1.0"}`)
}

func TestCanonicalText(t *testing.T) {
	f := func(arguments, want string) {
		t.Helper()
		got := Canonical(arguments)
		if got.JSON != want || got.Object || !got.Malformed {
			t.Errorf("Canonical(%q) = %+v, want the text %s", arguments, got, want)
		}
	}
	f(` {"path": "a`, `{"path": "a`)
	f(`[1]`, `[1]`)
	f(`"x"`, `"x"`)
	f(`"x`, `"x`)
	f(`12`, `12`)
	f(`{"a":1} {"b":2}`, `{"a":1} {"b":2}`)
	f(`{"a":"\ud800"}`, `{"a":"\ud800"}`)
	f("{\"a\":\"\xff\"}", "{\"a\":\"\xff\"}")
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	f(deep, deep)
	f(strings.Repeat("[", 1_000_000), strings.Repeat("[", 1_000_000))
}

func TestHashTellsCallsApart(t *testing.T) {
	same := func(tool Tool, a, b string) {
		t.Helper()
		if Hash(tool, Canonical(a)) != Hash(tool, Canonical(b)) {
			t.Errorf("%s with %q and %q should be identical", tool, a, b)
		}
	}
	differ := func(a Tool, x string, b Tool, y string) {
		t.Helper()
		if Hash(a, Canonical(x)) == Hash(b, Canonical(y)) {
			t.Errorf("%s with %q and %s with %q should not be identical", a, x, b, y)
		}
	}
	same("t", `{"a":1,"b":2}`, `{ "b": 2.0, "a": 1 }`)
	same("t", ``, `null`)
	same("t", ` {"path": "a`, `{"path": "a `)
	differ("t", `{"a":1}`, "u", `{"a":1}`)
	differ("t", `{"a":"x"}`, "t", `{"a":"X"}`)
	differ("t", `{"a":9007199254740993}`, "t", `{"a":9007199254740992}`)
	differ("t", `{"path": "a`, "t", `{}`)
	differ("t", `[1]`, "t", `{}`)
	differ("t", `{"a":1}`, "t", `{"a":"1"}`)
	differ("ab", `c`, "a", `bc`)
}

func TestLeaves(t *testing.T) {
	f := func(arguments, want string) {
		t.Helper()
		var b strings.Builder
		for _, leaf := range Canonical(arguments).Leaves() {
			b.WriteString(leaf.Pointer + "=" + leaf.Value + " ")
		}
		if got := strings.TrimSpace(b.String()); got != want {
			t.Errorf("leaves of %s: %s, want %s", arguments, got, want)
		}
	}
	f(`{}`, ``)
	f(`{"b":"x","a":1}`, `/a=1 /b="x"`)
	f(`{"a":{"c":null,"b":[true,{"d":1.0}]}}`, `/a/b/0=true /a/b/1/d=1 /a/c=null`)
	f(`{"a":{},"b":[],"c":[[]]}`, `/a={} /b=[] /c/0=[]`)
	f(`{"a/b":1,"m~n":2,"":3}`, `/=3 /a~1b=1 /m~0n=2`)
	f(`{"a`, `="{\"a"`)
	many := Canonical(`{"a":[` + strings.Repeat("1,", 100_000) + `1]}`)
	if n := len(many.Leaves()); n != maxLeaves {
		t.Errorf("%d leaves, want the bound", n)
	}
}

func TestWithout(t *testing.T) {
	f := func(arguments, want string, names ...string) {
		t.Helper()
		if got := Canonical(arguments).Without(names); got.JSON != want {
			t.Errorf("%s without %q: %s, want %s", arguments, names, got.JSON, want)
		}
	}
	f(`{"command":"make","timeout":5}`, `{"command":"make"}`, "timeout")
	f(`{"timeout":5}`, `{}`, "timeout")
	f(`{"a":{"timeout":5}}`, `{"a":{"timeout":5}}`, "timeout")
	f(`{"\n":1,"x":2}`, `{"\n":1}`, "x")
	f(`{"timeout`, `{"timeout`, "timeout")
}

func TestPointer(t *testing.T) {
	if got := Pointer("a/b", "m~n", ""); got != "/a~1b/m~0n/" {
		t.Errorf("pointer %q", got)
	}
	if got := PointerTokens("/a~1b/m~0n/"); len(got) != 3 || got[0] != "a/b" || got[1] != "m~n" || got[2] != "" {
		t.Errorf("tokens %q", got)
	}
	if got := PointerTokens(Pointer("~1")); got[0] != "~1" {
		t.Errorf("tokens %q", got)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1.50,-0,1e400],"a":"x"}`, `"{\"a\":1}"`, `{"a":1,"a":2}`, `{"a`, `""`, ` null`,
		`{"n":123456789012345678901234567890.5}`, `{"a":{"b":{}}}`, "\"\u0085{\"", `{"n":1e-7}`, `{"n":-1E+22}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		once := Canonical(arguments)
		if twice := Canonical(once.JSON); twice != once {
			t.Fatalf("%q: %+v, then %+v", arguments, once, twice)
		}
		if spaced := Canonical(" \n" + arguments + "\t"); spaced != once {
			t.Fatalf("%q: white space matters: %+v, %+v", arguments, once, spaced)
		}
		once.Leaves()
		if !once.Object {
			return
		}
		if all := once.Without(nil); all != once {
			t.Fatalf("%q without nothing is %+v", arguments, all)
		}
		reversed := reverseMembers(once.JSON)
		if again := Canonical(reversed); again != once {
			t.Fatalf("%q: the order of keys matters: %+v, %+v", reversed, once, again)
		}
	})
}

// reverseMembers writes the top-level members of an object in reverse, with white space between them.
func reverseMembers(text string) string {
	list := readMembers([]byte(text), len(text)).list
	parts := make([]string, len(list))
	for i, m := range list {
		parts[len(list)-1-i] = CanonicalString(m.name) + " :\t" + string(m.value)
	}
	return "{ " + strings.Join(parts, " , ") + " }"
}

func BenchmarkCanonical(b *testing.B) {
	arguments := `{"ticket_id": "T-8841", "status": "OPEN", "priority": 3, "tags": ["a", "b"], "amount": 12.50}`
	b.ReportAllocs()
	b.SetBytes(int64(len(arguments)))
	for b.Loop() {
		Hash("update_ticket", Canonical(arguments))
	}
}
