package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Row is how a message is stored.
func (k *Known) Row(run RunID) (Row, error) {
	content := make([]byte, 0, 256+int(k.textLength()*9/8))
	content = k.appendJSON(content)
	return Row{
		Run: run, Thread: k.Thread, Kind: RowMessage, Slot: k.Slot, Version: k.Weight(),
		Position: k.Position, Content: content, Arrived: k.Arrived,
	}, nil
}

// encode writes a value as JSON with <, > and & as they are: results are full of them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// ReadRows decodes what is stored of one run. It is what the rows were made from.
func ReadRows(rows []Row) (Knowledge, error) {
	var k Knowledge
	for i := range rows {
		if err := k.read(&rows[i]); err != nil {
			return Knowledge{}, fmt.Errorf("read row %s of run %q, thread %q: %w", rows[i].Slot, rows[i].Run, rows[i].Thread, err)
		}
	}
	return k, nil
}

func (k *Knowledge) read(r *Row) error {
	switch r.Kind {
	case RowMessage:
		m := Known{Thread: r.Thread, Slot: r.Slot, Position: r.Position}
		if err := json.Unmarshal(r.Content, &m); err != nil {
			return err
		}
		k.Messages = append(k.Messages, m)
	case RowRun:
		if err := json.Unmarshal(r.Content, &k.Meta); err != nil {
			return err
		}
		k.Arrived = r.Arrived.UTC()
	case RowThread:
		var t ThreadMeta
		if err := json.Unmarshal(r.Content, &t); err != nil {
			return err
		}
		k.Threads = append(k.Threads, t)
	default:
		return fmt.Errorf("unknown kind %q", r.Kind)
	}
	return nil
}

// FromRows reads a stored run: the same Run that the records gave when they were merged.
func FromRows(rows []Row) (Run, error) {
	k, err := ReadRows(rows)
	if err != nil {
		return Run{}, err
	}
	run, _ := Arrange(k)
	return run, nil
}
