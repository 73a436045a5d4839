package assemble

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel gives do(0) … do(n-1), done on all processors. A panic of one of them is one of the caller, so that whoever
// guards the caller guards these too.
func inParallel[T any](n int, do func(i int) T) []T {
	results := make([]T, n)
	var next atomic.Int64
	var group sync.WaitGroup
	var panicked atomic.Pointer[any]
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			defer func() {
				if value := recover(); value != nil {
					panicked.CompareAndSwap(nil, &value)
				}
			}()
			for i := next.Add(1) - 1; i < int64(n) && panicked.Load() == nil; i = next.Add(1) - 1 {
				results[i] = do(int(i))
			}
		})
	}
	group.Wait()
	if value := panicked.Load(); value != nil {
		panic(*value)
	}
	return results
}
