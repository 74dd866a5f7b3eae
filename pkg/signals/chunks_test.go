package signals

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fleet returns workloads with pods in namespaces of fifty.
func fleet(workloads, pods int) []Subject {
	var out []Subject
	for i := range workloads {
		s := users()
		s.Key = Key{fmt.Sprint("shop-", i/50), fmt.Sprint("h", i%50), "v1"}
		s.Deployment = fmt.Sprintf("handler-h%d--v1", i%50)
		one := s.Pods[0]
		s.Pods = nil
		for j := range pods {
			one.Name, one.Instance = fmt.Sprintf("%s-7d9fcb6c4-x2x%02d", s.Deployment, j), fmt.Sprint(i, "/", j)
			s.Pods = append(s.Pods, one)
		}
		out = append(out, s)
	}
	return out
}

var selected = regexp.MustCompile(`namespace=~"([^"]*)",pod=~"([^"]*)"`)

// selecting answers with the pods that a query selects, as a Prometheus does.
func selecting(t *testing.T, all []Subject, broken string, seen func(pods, bytes int)) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		m := selected.FindStringSubmatch(r.FormValue("query"))
		if m == nil {
			t.Errorf("the query selects nothing:\n%.300s", r.FormValue("query"))
			return
		}
		namespaces, pods := regexp.MustCompile("^(?:"+m[1]+")$"), regexp.MustCompile("^(?:"+m[2]+")$")
		var rows []string
		isBroken := false
		for _, s := range all {
			for _, p := range s.Pods {
				if namespaces.MatchString(s.Namespace) && pods.MatchString(p.Name) {
					rows = append(rows, strings.ReplaceAll(fresh(p.Name), `"shop"`, fmt.Sprintf("%q", s.Namespace)))
					isBroken = isBroken || s.Namespace+"/"+s.Handler == broken
				}
			}
		}
		text := vector(rows...)
		seen(len(rows), len(text))
		if isBroken {
			http.Error(w, `{"status":"error","errorType":"internal","error":"boom"}`, http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(text))
	}
}

// TestThousandsOfPods holds that 3,000 pods are measured by queries of bounded size, and
// that one that fails leaves the others known.
func TestThousandsOfPods(t *testing.T) {
	const broken = "shop-3/h7"
	all := fleet(300, 10)
	var lock sync.Mutex
	queries, pods, bytes := 0, 0, 0
	p := answering(t, selecting(t, all, broken, func(n, size int) {
		lock.Lock()
		defer lock.Unlock()
		queries, pods, bytes = queries+1, max(pods, n), max(bytes, size)
	})).prometheus(t)
	got := p.Measure(t.Context(), now, all)
	known, neighbours := 0, 0
	for _, s := range all {
		switch r := got[s.Key]; {
		case r.Traffic.Known:
			known++
		case strings.Contains(r.Traffic.Message, "500"):
			neighbours++
		default:
			t.Fatalf("%v: %s", s.Key, r.Traffic.Message)
		}
	}
	t.Logf("%d queries, at most %d pods and %d KiB in an answer; %d workloads known, %d in the broken chunk", queries, pods, bytes>>10, known, neighbours)
	if got[Key{"shop-3", "h7", "v1"}].Traffic.Known || neighbours == 0 || neighbours > maxSelected/10 || known+neighbours != len(all) {
		t.Errorf("%d workloads are known and %d are not; want at most %d that are not", known, neighbours, maxSelected/10)
	}
	if pods > 2*maxSelected || queries > 2*len(all)*10/maxSelected {
		t.Errorf("%d queries with up to %d pods; want at most %d with %d", queries, pods, 2*len(all)*10/maxSelected, 2*maxSelected)
	}
}

// TestChunks holds that every subject is in one chunk, and that a workload with more pods
// than a chunk has its own.
func TestChunks(t *testing.T) {
	all := fleet(120, 3)
	all[60].Pods = fleet(1, 600)[0].Pods
	for _, set := range SetNames() {
		metrics, err := FindSet(set)
		if err != nil {
			t.Fatal(err)
		}
		s := selection{set: metrics, namespace: "namespace", pod: "pod"}
		count := 0
		for _, chunk := range s.chunkSubjects(all) {
			pods := 0
			for _, subject := range chunk {
				if subject.Key != all[count].Key {
					t.Fatalf("%s: %v comes at %d", set, subject.Key, count)
				}
				pods += len(subject.Pods)
				count++
			}
			if text := s.subjectMatcher(chunk); len(text) > maxSelection || pods > maxSelected && len(chunk) > 1 {
				t.Errorf("%s: %d workloads, %d pods, %d characters in one chunk", set, len(chunk), pods, len(text))
			}
		}
		if count != len(all) || len(s.chunkSubjects(nil)) != 0 {
			t.Errorf("%s: %d of %d workloads are asked for", set, count, len(all))
		}
	}
}

// TestASlowQueryDelaysNoOther holds that each query has its own deadline: one that hangs
// leaves the others known.
func TestASlowQueryDelaysNoOther(t *testing.T) {
	all := fleet(30, 10)
	slow := all[29]
	slow.Queries = []Query{{Name: "hangs", PromQL: "hangs"}, {Name: "also", PromQL: "hangs"}}
	all[29] = slow
	answer := selecting(t, all, "", func(int, int) {})
	p := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("query") == "hangs" {
			<-r.Context().Done()
			return
		}
		answer(w, r)
	}).prometheus(t, func(c *PrometheusConfig) { c.Timeout = 5 * time.Second }) // ages for so few pods
	got := p.Measure(t.Context(), now, all)
	for _, s := range all {
		if !got[s.Key].Traffic.Known {
			t.Fatalf("%v: %s", s.Key, got[s.Key].Traffic.Message)
		}
	}
	if n := len(got[slow.Key].Queries); n != len(slow.Queries) {
		t.Errorf("%d queries have an answer, want %d", n, len(slow.Queries))
	}
	for name, a := range got[slow.Key].Queries {
		if a.Known || a.Message == "" {
			t.Errorf("query %s: %+v", name, a)
		}
	}
}

// TestQueriesOfAWorkloadAreAskedTogether holds that those that hang take the time of none that
// follows: here each is answered as soon as all of them were asked.
func TestQueriesOfAWorkloadAreAskedTogether(t *testing.T) {
	const queries = 3
	s := users()
	for i := range queries {
		s.Queries = append(s.Queries, Query{Name: fmt.Sprint("q", i), PromQL: "patient"})
	}
	all := make(chan struct{})
	var asked atomic.Int64
	p := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("query") != "patient" {
			_, _ = w.Write([]byte(vector(fresh(itsPod))))
			return
		}
		if asked.Add(1) == queries {
			close(all)
		}
		select {
		case <-all:
			_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}`))
		case <-r.Context().Done():
		}
	}).prometheus(t)
	answers := p.Measure(t.Context(), now, []Subject{s})[s.Key].Queries
	for name, a := range answers {
		if !a.Known || a.Value != 7 {
			t.Errorf("query %s: %+v", name, a)
		}
	}
	if n := asked.Load(); n != queries || len(answers) != queries {
		t.Errorf("%d queries were asked and %d have an answer, want %d", n, len(answers), queries)
	}
}

// TestWorkloadsTakeTurnsWithTheirQueries holds that many queries of one workload do not come
// before those of others.
func TestWorkloadsTakeTurnsWithTheirQueries(t *testing.T) {
	all := fleet(30, 1)
	for i := range all {
		all[i].Queries = []Query{{Name: "one", PromQL: "modest"}}
	}
	all[0].Queries = nil
	for i := range 8 {
		all[0].Queries = append(all[0].Queries, Query{Name: fmt.Sprint("q", i), PromQL: "greedy"})
	}
	var lock sync.Mutex
	modest, greedy, before := 0, 0, 0
	answer := selecting(t, all, "", func(int, int) {})
	p := answering(t, func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		switch r.FormValue("query") {
		case "modest":
			modest++
		case "greedy":
			if greedy++; greedy == 2 {
				before = modest
			}
		default:
			answer(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}`))
	}).prometheus(t)
	p.Measure(t.Context(), now, all)
	if greedy != 8 || modest != 29 || before < modest-maxQueries {
		t.Errorf("%d of %d queries of others came before the second of %d of one workload, want all but %d", before, modest, greedy, maxQueries)
	}
}
