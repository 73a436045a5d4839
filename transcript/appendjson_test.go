package transcript

import (
	"testing"
	"time"
)

// FuzzAppendJSON holds the encoder to what encoding/json writes.
func FuzzAppendJSON(f *testing.F) {
	f.Add("", int64(0), uint8(0))
	f.Add("a \"b\" \\ <c> & \u2028\u2029 \x00\x1f\x7f\b\f\n\r\t \xff é 😀", int64(-5), uint8(255))
	f.Add("text", int64(1_767_323_045_123), uint8(0b10101010))
	f.Fuzz(func(t *testing.T, text string, n int64, has uint8) {
		some := func(bit int) string {
			if has&(1<<bit) != 0 {
				return text
			}
			return ""
		}
		var at time.Time
		if has&1 != 0 {
			at = time.UnixMilli(max(min(n, 1<<42), 0)).UTC()
		}
		code := int(n)
		k := Known{Message: Message{
			ID: some(0), Generation: some(1), Parent: some(2), Seq: n, Role: Role(some(3)), Time: at, Arrived: at, Provider: some(4),
			Model: some(5), Text: some(6), Reasoning: some(7),
		}}
		if has&2 != 0 {
			k.After = []uint32{uint32(n), 7}
			k.Usage = &Usage{Input: n, Output: int64(has)}
			k.Calls = []Call{{ID: some(2), Tool: Tool(some(3)), Arguments: some(4), Actor: Actor(some(5)), Unknown: has&4 != 0, Time: at}, {}}
		}
		if has&8 != 0 {
			k.Results = []Result{{}, {
				CallID: some(2), Tool: Tool(some(3)), Body: some(4), Flag: Flag(some(5)), Fate: Fate(some(6)), ExitCode: &code,
				ErrorType: some(7), Variant: Variant(some(0)), Actor: Actor(some(1)), Time: at, BodyLength: code, BodyHash: some(2),
			}}
			k.Usage = &Usage{}
		}
		want, err := encode(&k)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.appendJSON(nil); string(got) != string(want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}
