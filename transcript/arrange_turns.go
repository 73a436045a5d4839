package transcript

// line is where the conversation stands after a message.
type line struct {
	turn  int  // Number, 0: none yet
	user  bool // a user has spoken since
	input bool // something has come back, or a user has spoken, since
}

// takeTurns numbers the generations of a thread. A turn follows the one that its first message comes after, on its
// own branch where the log has branches. In a history the name of a generation counts only until something comes back:
// a name that is used again later (tests and proxies give every answer the same one) is another turn.
func (t *thread) takeTurns(meta *Meta) {
	lines := make([]line, len(t.entries))
	byGeneration := make(map[string]int)
	spoken := make(map[int]bool)   // turns after which a user spoke
	followed := make(map[int]bool) // turns after which a turn came
	for i := range t.entries {
		m := &t.entries[i]
		before := line{}
		if p := m.parent; p != none {
			before = lines[p]
		} else if i > 0 {
			before = lines[i-1]
		}
		if generated(&m.Message) {
			n, ok := byGeneration[m.Generation]
			if !ok || m.Generation == "" || (m.placed && (n != before.turn || before.input)) {
				n = len(t.Turns) + 1
				byGeneration[m.Generation] = n
				t.Turns = append(t.Turns, Turn{Number: n, Follows: before.turn, UserBefore: before.user, Time: m.at})
				followed[before.turn] = true
			}
			t.addToTurn(n, i)
			before = line{turn: n}
		}
		before.input = before.input || len(m.Results) > 0
		if spoke(&m.Message) {
			before.user, before.input = true, true
			spoken[before.turn] = true
		}
		lines[i] = before
		t.noteInputs(i, before.turn)
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		turn.UserAfter = spoken[turn.Number] && !followed[turn.Number]
		if turn.Provider == "" {
			turn.Provider = meta.Provider
		}
		if turn.Model == "" {
			turn.Model = meta.Model
		}
	}
}

// generated tells whether the model made a message, or part of it.
func generated(m *Message) bool {
	if m.Role == RoleAssistant {
		return true
	}
	for i := range m.Calls {
		if m.Calls[i].Actor == ByAgent && m.Role != RoleUser {
			return true
		}
	}
	return false
}

// spoke tells whether a user says something in a message. Calls that a user makes are no words, a refusal is one.
func spoke(m *Message) bool {
	if m.Role == RoleUser && (len(m.Calls) == 0 || m.Text != "") {
		return true
	}
	for i := range m.Results {
		if m.Results[i].Fate == FateRefused {
			return true
		}
	}
	return false
}

// addToTurn makes entry i a part of turn n.
func (t *thread) addToTurn(n, i int) {
	turn, m := &t.Turns[n-1], &t.entries[i]
	turn.Messages = append(turn.Messages, i)
	turn.Usage = joinUsage(turn.Usage, m.Usage)
	if turn.Provider == "" {
		turn.Provider = m.Provider
	}
	if turn.Model == "" {
		turn.Model = m.Model
	}
}

// noteInputs lists the calls and results of entry i for pairing, in order.
func (t *thread) noteInputs(i, turn int) {
	m := &t.entries[i]
	inTurn := generated(&m.Message)
	for j := range m.Calls {
		at := m.Calls[j].Time
		if at.IsZero() {
			at = m.at
		}
		call := askedCall{Call: m.Calls[j], asked: at, turn: turn}
		call.counted = inTurn
		t.calls = append(t.calls, call)
	}
	for j := range m.Results {
		r := m.Results[j]
		if r.Time.IsZero() {
			r.Time = m.Time
		}
		t.results = append(t.results, cameBack{Result: r, at: m.at, turn: turn})
	}
}
