package engine

import ("testing";"fmt";"os";"strings";"time")

func TestProto(t *testing.T) {
	st,_ := os.ReadFile("/proc/self/status")
	sig := func() { st,_ = os.ReadFile("/proc/self/status"); for _, l := range strings.Split(string(st),"\n") { if strings.HasPrefix(l,"SigCgt") { fmt.Println(l) } } }
	sig()
	t0 := time.Now()
	lib, err := load("/work/main/.engine/libchdb.so")
	if err != nil { t.Fatal(err) }
	fmt.Println("load", time.Since(t0), lib.version())
	lib.setSignalHandlers(0)
	sig()
	t0 = time.Now()
	os.RemoveAll("/tmp/chp")
	var cs []*conn
	for i := 0; i<3; i++ {
		c, err := connect(lib, []string{"--path=/tmp/chp"})
		if err != nil { t.Fatal(err) }
		cs = append(cs,c)
	}
	fmt.Println("connect", time.Since(t0))
	sig()
	c := cs[0]
	q := func(c *conn, s string) {
		t0 := time.Now()
		var b strings.Builder
		st, err := c.run(s, "TSV", nil, func(p []byte) error { b.Write(p); return nil })
		fmt.Printf("%s\n  -> %q %v %v %+v\n", s, b.String(), err, time.Since(t0), st)
	}
	sq := func(c *conn, s string) {
		t0 := time.Now()
		n:=0; k:=0
		st, err := c.stream(s, "TSV", nil, func(p []byte) error { n+=len(p); k++; return nil })
		fmt.Printf("stream %s\n  -> %d bytes %d pieces %v %v %+v\n", s, n,k, err, time.Since(t0), st)
	}
	q(c, "SELECT displayName(), version(), revision(), timezone()")
	q(c, "SELECT 1"); q(c, "SELECT 1")
	sq(c, "SELECT 1"); sq(c, "SELECT 1")
	q(c, "SHOW DATABASES")
	q(c, "SELECT name, engine, data_path FROM system.databases")
	q(c, "CREATE DATABASE e1"); q(c,"USE e1"); q(c,"USE e1"); q(c, "USE nosuch")
	q(c, "SELECT currentDatabase()"); q(cs[1], "SELECT currentDatabase()")
	q(c, "SET max_threads='1', log_comment='abc'"); q(c, "SELECT getSetting('max_threads'), getSetting('log_comment')"); q(cs[1], "SELECT getSetting('max_threads')")
	q(c, "SET max_threads=DEFAULT, log_comment=DEFAULT"); q(c, "SELECT getSetting('max_threads'), getSetting('log_comment')")
	q(c, "SET nosuch=1"); q(c, "SELEC 1"); q(c,"SELECT nosuch"); q(c, "SELECT * FROM nosuch")
	sq(c, "SELECT * FROM nosuch"); sq(c, "SHOW DATABASES"); sq(c, "SELECT * FROM numbers(10000000)")
	sq(c, "SELECT throwIf(number=3000000) FROM numbers(10000000)")
	sq(c, "SELECT 1 FORMAT CSV")
	q(c, "SELECT 1,2 FORMAT JSON")
	q(c, "CREATE TABLE t (a UInt64, s String) ENGINE=MergeTree ORDER BY a")
	q(c, "CREATE TABLE t (a UInt64, s String) ENGINE=MergeTree ORDER BY a")
	q(c, "INSERT INTO t VALUES (1,'x')")
	q(c, "INSERT INTO t SELECT number, 'q' FROM numbers(10)")
	q(c, "SELECT count() FROM t"); q(cs[1], "SELECT count() FROM e1.t")
	q(c, "CREATE TABLE rmt (k String, v UInt128, d UInt8) ENGINE=ReplacingMergeTree(v, d) ORDER BY k")
	q(c, "CREATE TABLE rmt (k String, v UInt64, d UInt8) ENGINE=ReplacingMergeTree(v, d) ORDER BY k")
	go func() { time.Sleep(300*time.Millisecond); q(cs[1], "SELECT query_id, query, Settings['log_comment'], user FROM system.processes"); q(cs[1], "KILL QUERY WHERE Settings['log_comment']='kk' SYNC") ; q(cs[1], "KILL QUERY WHERE Settings['log_comment']='kk'") }()
	q(c, "SET log_comment='kk'")
	sq(c, "SELECT max(sipHash64(number)) FROM numbers(20000000000)")
	q(c, "SELECT 1")
	ins, err := c.beginInsert("INSERT INTO t (a, s)", "CSV", nil)
	fmt.Println(err)
	fmt.Println(ins.append([]byte("5,\"a\"\n6,")), ins.append([]byte("\"b\"\n")))
	fmt.Println(ins.done()); ins.destroy()
	ins, err = c.beginInsert("INSERT INTO nosuch (a, s)", "CSV", nil)
	fmt.Println(err)
	q(c, "SELECT count() FROM t")
	q(c, "SELECT table,name,rows FROM system.parts")
	q(c, "SELECT name FROM system.tables WHERE database='system' AND name LIKE '%log%'")
	sig()
	t0 = time.Now()
	for _, c := range cs { c.close() }
	fmt.Println(lib.shutdown(), time.Since(t0))
}
