package feed

import (
	"errors"

	"github.com/segmentio/kafka-go"
)

// tooLarge tells whether a broker, or the client before it, refused a message for its size.
func tooLarge(err error) bool {
	var client kafka.MessageTooLargeError
	var all kafka.WriteErrors
	if errors.As(err, &all) {
		for _, one := range all {
			if one != nil {
				return tooLarge(one)
			}
		}
	}
	return errors.As(err, &client) || errors.Is(err, kafka.MessageSizeTooLarge)
}
