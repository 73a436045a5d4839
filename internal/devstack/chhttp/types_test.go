package chhttp_test

import (
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

const everyType = `CREATE TABLE every (
	id UInt64, small Int64, wide UInt128, ratio Float64, ok Bool, name String, kind LowCardinality(String),
	maybe Nullable(Int64), maybe_kind LowCardinality(Nullable(String)), at DateTime64(3, 'UTC'), day Date, plain DateTime('UTC'),
	tags Array(String), kinds Array(LowCardinality(String)), pairs Array(Tuple(name String, n UInt32)), attributes Map(String, String),
	calls Nested(id String, tokens Array(UInt32)), price Decimal(18, 6), hash FixedString(4), level Enum8('low' = 1, 'high' = 2), uid UUID,
	version UInt64, deleted UInt8
) ENGINE = ReplacingMergeTree(version, deleted) ORDER BY id`

type pair struct {
	Name string `ch:"name"`
	N    uint32 `ch:"n"`
}

// every is one row of all the types that Errata's tables may use.
type every struct {
	ID         uint64            `ch:"id"`
	Small      int64             `ch:"small"`
	Wide       big.Int           `ch:"wide"`
	Ratio      float64           `ch:"ratio"`
	OK         bool              `ch:"ok"`
	Name       string            `ch:"name"`
	Kind       string            `ch:"kind"`
	Maybe      *int64            `ch:"maybe"`
	MaybeKind  *string           `ch:"maybe_kind"`
	At         time.Time         `ch:"at"`
	Day        time.Time         `ch:"day"`
	Plain      time.Time         `ch:"plain"`
	Tags       []string          `ch:"tags"`
	Kinds      []string          `ch:"kinds"`
	Pairs      []pair            `ch:"pairs"`
	Attributes map[string]string `ch:"attributes"`
	CallIDs    []string          `ch:"calls.id"`
	CallTokens [][]uint32        `ch:"calls.tokens"`
	Hash       string            `ch:"hash"`
	Level      string            `ch:"level"`
	UID        string            `ch:"uid"`
	Version    uint64            `ch:"version"`
	Deleted    uint8             `ch:"deleted"`
}

func everyRows(n int) []every {
	rows := make([]every, n)
	for i := range rows {
		wide, _ := new(big.Int).SetString("340282366920938463463374607431768211455", 10)
		r := every{
			ID: uint64(i), Small: int64(-i), Wide: *wide.Sub(wide, big.NewInt(int64(i))), Ratio: float64(i) / 3, OK: i%2 == 0,
			Name: fmt.Sprintf("na\x00me\t'%d", i), Kind: fmt.Sprint("kind", i%3), At: time.UnixMilli(1700000000123 + int64(i)).UTC(),
			Day: time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC), Plain: time.Unix(1700000000, 0).UTC(), Tags: []string{}, Kinds: []string{"a", "b", "a"},
			Pairs: []pair{{"x", 1}, {"y", uint32(i)}}, Attributes: map[string]string{"k": fmt.Sprint(i)},
			CallIDs: []string{"c1", "c2"}, CallTokens: [][]uint32{{1, 2}, {}}, Hash: "abcd", Level: "high",
			UID: "61f0c404-5cb3-11e7-907b-a6006ad3dba0", Version: 1,
		}
		if i%2 == 0 {
			n, s := int64(i), "set"
			r.Maybe, r.MaybeKind, r.Tags = &n, &s, []string{"t", "ü"}
		}
		rows[i] = r
	}
	return rows
}

func TestEveryTypeThroughEveryCompression(t *testing.T) {
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionZSTD, clickhouse.CompressionGZIP, clickhouse.CompressionDeflate, clickhouse.CompressionBrotli} {
		t.Run(method.String(), func(t *testing.T) {
			conn := open(t, func(o *clickhouse.Options) { o.Compression = &clickhouse.Compression{Method: method, Level: 3} })
			exec(t, conn, everyType)
			rows := everyRows(500)
			batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO every (id, small, wide, ratio, ok, name, kind, maybe, maybe_kind, at, day, plain, tags, kinds, pairs, attributes, calls.id, calls.tokens, hash, level, uid, version, deleted)")
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				if err := batch.AppendStruct(&rows[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := batch.Send(); err != nil {
				t.Fatal(err)
			}
			var got []every
			if err := conn.Select(t.Context(), &got, "SELECT * EXCEPT price FROM every FINAL ORDER BY id"); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(rows) {
				t.Fatalf("%d rows, want %d", len(got), len(rows))
			}
			for i := range rows {
				got[i].At, got[i].Day, got[i].Plain = got[i].At.UTC(), got[i].Day.UTC(), got[i].Plain.UTC()
				if !reflect.DeepEqual(got[i], rows[i]) {
					t.Fatalf("row %d\n got %+v\nwant %+v", i, got[i], rows[i])
				}
			}
		})
	}
}
