package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// BenchmarkPages measures the server's time for every page on simulated runs, and its bytes as they are and as they are
// sent, and names the questions that took longest and the largest parts.
func BenchmarkPages(b *testing.B) {
	s := stored(b, 0)
	home := fetched(b, s.url+"/", false)
	paths := regexp.MustCompile(`href="(/[a-z]*)" data-key="g`).FindAllStringSubmatch(string(home), -1)
	run := regexp.MustCompile(`href="(/runs/[^"?]+)`).FindSubmatch(fetched(b, s.url+"/runs?sort=-loops", false))
	code := regexp.MustCompile(`href="(/codes/[^"?]+)`).FindSubmatch(fetched(b, s.url+"/codes", false))
	if len(paths) < 7 || run == nil {
		b.Fatalf("%d pages, run %q", len(paths), run)
	}
	for _, more := range [][][]byte{run, code} {
		if more != nil {
			paths = append(paths, []string{"", string(more[1])})
		}
	}
	for _, path := range paths {
		b.Run(strings.Split(strings.Trim(path[1], "/")+"/", "/")[0]+"/"+strconv.Itoa(strings.Count(path[1], "/")), func(b *testing.B) {
			before := s.seconds(b)
			var page []byte
			for b.Loop() {
				page = fetched(b, s.url+path[1], false)
			}
			b.ReportMetric(float64(len(page)), "B/page")
			b.ReportMetric(float64(len(fetched(b, s.url+path[1], true))), "B-sent/page")
			b.Logf("%s: slowest %s; largest %s", path[1], slowest(before, s.seconds(b)), largest(b, page))
		})
	}
}

// fetched is a page, as it is sent where it is to be compressed.
func fetched(b *testing.B, address string, small bool) []byte {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "identity")
	if small {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("%s: status %d, %v", address, answer.StatusCode, err)
	}
	return text
}

// asked is how long a question took in all, and how often it was asked.
type asked struct{ seconds, times float64 }

// seconds gives the time that each question took so far.
func (s *site) seconds(b *testing.B) map[string]asked {
	b.Helper()
	families, err := s.took.Gather()
	if err != nil {
		b.Fatal(err)
	}
	all := map[string]asked{}
	for _, family := range families {
		if family.GetName() != "errata_dashboard_question_seconds" {
			continue
		}
		for _, m := range family.GetMetric() {
			all[m.GetLabel()[0].GetValue()] = asked{m.GetHistogram().GetSampleSum(), float64(m.GetHistogram().GetSampleCount())}
		}
	}
	return all
}

// part is a part of a page with its share of what is measured.
type part struct {
	name string
	size float64
}

// top writes the three largest parts.
func top(parts []part, format string) string {
	slices.SortFunc(parts, func(a, b part) int { return int(1e6 * (b.size - a.size)) })
	var all []string
	for _, p := range parts[:min(len(parts), 3)] {
		all = append(all, p.name+" "+fmt.Sprintf(format, p.size))
	}
	return strings.Join(all, ", ")
}

func slowest(before, after map[string]asked) string {
	var parts []part
	for name, a := range after {
		if times := a.times - before[name].times; times > 0 {
			parts = append(parts, part{name, 1000 * (a.seconds - before[name].seconds) / times})
		}
	}
	return top(parts, "%.0f ms")
}

// largest names the panels of a page that have most bytes.
func largest(b *testing.B, page []byte) string {
	b.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		b.Fatal(err)
	}
	var parts []part
	for _, panel := range cascadia.QueryAll(root, cascadia.MustCompile("main section[id]")) {
		var text strings.Builder
		if err := html.Render(&text, panel); err != nil {
			b.Fatal(err)
		}
		for _, a := range panel.Attr {
			if a.Key == "id" {
				parts = append(parts, part{a.Val, float64(text.Len()) / 1024})
			}
		}
	}
	return top(parts, "%.0f KiB")
}
