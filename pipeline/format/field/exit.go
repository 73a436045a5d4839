package field

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Exit is the exit status that a record's metadata hold. Anything but a whole number is none.
type Exit struct{ Status *int }

// UnmarshalJSONFrom reads a status, and steps over anything else.
func (e *Exit) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil || value.Kind() != '0' {
		return err
	}
	if status, err := strconv.Atoi(string(value)); err == nil {
		e.Status = &status
	}
	return nil
}

// FirstExit gives the first status that there is, nil where there is none.
func FirstExit(statuses ...Exit) *int {
	for _, exit := range statuses {
		if exit.Status != nil {
			return exit.Status
		}
	}
	return nil
}
