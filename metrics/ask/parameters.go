package ask

import (
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// parameters are the values of a question's {name:Type} placeholders, in the text form that the server reads.
type parameters clickhouse.Parameters

// The server reads a parameter as a value of tab-separated text: a string with its control characters escaped, and an
// array as a list of quoted strings, in which the quote is escaped as well.
var (
	escapeText   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\b", `\b`, "\f", `\f`)
	escapeQuoted = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\b", `\b`, "\f", `\f`, `'`, `\'`)
)

func (p parameters) text(name, value string) { p[name] = escapeText.Replace(value) }

func (p parameters) texts(name string, values []string) {
	var list strings.Builder
	list.WriteByte('[')
	for i, value := range values {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteByte('\'')
		list.WriteString(escapeQuoted.Replace(value))
		list.WriteByte('\'')
	}
	list.WriteByte(']')
	p[name] = list.String()
}

func (p parameters) number(name string, value int64) { p[name] = strconv.FormatInt(value, 10) }

func (p parameters) truth(name string, value bool) { p[name] = strconv.FormatBool(value) }

// moment writes a DateTime64(3, 'UTC').
func (p parameters) moment(name string, value time.Time) {
	p[name] = value.UTC().Format("2006-01-02 15:04:05.000")
}
