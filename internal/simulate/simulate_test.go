package simulate

import "testing"

func TestGenerateYieldsRuns(t *testing.T) {
	for range Generate(Small()) {
		return
	}
	t.Fatal("no run")
}
