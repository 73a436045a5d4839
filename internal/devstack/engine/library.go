// Package engine runs the embedded ClickHouse engine (chDB) inside this process: it loads the shared library, keeps a pool
// of connections to one data directory, and runs queries and streamed inserts on them.
package engine

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library holds the entry points of the shared library. Handles are opaque pointers of the engine; they never point into
// Go memory.
type library struct {
	version           func() string
	setSignalHandlers func(enabled int32)
	connect           func(argc int32, argv unsafe.Pointer) uintptr
	closeConn         func(conn uintptr)
	shutdown          func() int32

	query       func(conn uintptr, query unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	streamQuery func(conn uintptr, query unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	streamFetch func(conn, stream uintptr) uintptr
	streamStop  func(conn, stream uintptr)
	destroy     func(result uintptr)

	insert        func(conn uintptr, query unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	insertAppend  func(stream uintptr, data unsafe.Pointer, n uintptr) int32
	insertDone    func(stream uintptr) uintptr
	insertCancel  func(stream uintptr)
	insertError   func(stream uintptr) unsafe.Pointer
	insertDestroy func(stream uintptr)

	buffer       func(result uintptr) unsafe.Pointer
	length       func(result uintptr) uintptr
	resultError  func(result uintptr) unsafe.Pointer
	rowsRead     func(result uintptr) uint64
	bytesRead    func(result uintptr) uint64
	rowsWritten  func(result uintptr) uint64
	bytesWritten func(result uintptr) uint64
}

// load opens the shared library and resolves every entry point, so that a library of another version fails here and not in
// the middle of a query.
func load(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load the ClickHouse engine %s: %w", path, err)
	}
	lib := &library{}
	for name, fn := range lib.symbols() {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("the ClickHouse engine %s lacks %s, so it is not the pinned version; run internal/devstack/fetch.sh: %w", path, name, err)
		}
		purego.RegisterFunc(fn, address)
	}
	return lib, nil
}

func (l *library) symbols() map[string]any {
	return map[string]any{
		"chdb_version":                     &l.version,
		"chdb_set_signal_handlers_enabled": &l.setSignalHandlers,
		"chdb_connect":                     &l.connect,
		"chdb_close_conn":                  &l.closeConn,
		"chdb_shutdown":                    &l.shutdown,
		"chdb_query_with_params_n":         &l.query,
		"chdb_stream_query_with_params_n":  &l.streamQuery,
		"chdb_stream_fetch_result":         &l.streamFetch,
		"chdb_stream_cancel_query":         &l.streamStop,
		"chdb_destroy_query_result":        &l.destroy,
		"chdb_stream_insert_with_params_n": &l.insert,
		"chdb_stream_append":               &l.insertAppend,
		"chdb_stream_done":                 &l.insertDone,
		"chdb_stream_cancel_insert":        &l.insertCancel,
		"chdb_stream_insert_error":         &l.insertError,
		"chdb_destroy_insert_stream":       &l.insertDestroy,
		"chdb_result_buffer":               &l.buffer,
		"chdb_result_length":               &l.length,
		"chdb_result_error":                &l.resultError,
		"chdb_result_storage_rows_read":    &l.rowsRead,
		"chdb_result_storage_bytes_read":   &l.bytesRead,
		"chdb_result_rows_written":         &l.rowsWritten,
		"chdb_result_bytes_written":        &l.bytesWritten,
	}
}

// text copies a NUL-terminated string that the engine owns.
func text(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
