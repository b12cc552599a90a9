// Command drill runs three replicas of the server behind nginx, lets clients of all
// protocols work on them, and stops replicas and the database meanwhile. It ends with
// an error if an answer was wrong or a write was lost or made twice.
//
//	drill SERVER DIR   the server's binary, and a directory for everything
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/bookmarks"
)

func main() {
	log.SetFlags(0)
	span := flag.Duration("for", 45*time.Second, "how long the load lasts")
	once := flag.Duration("once", 30*time.Second, "how long writes are sent again, with keys, and then as long without")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: drill SERVER DIR")
	}
	if err := run(*span, *once, flag.Arg(0), flag.Arg(1)); err != nil {
		log.Fatal(err)
	}
}

// run returns when everything it started has ended.
func run(span, once time.Duration, server, dir string) error {
	ctx := context.Background()
	database, url, err := newPostgres(dir)
	if err != nil {
		return err
	}
	defer database.stop(syscall.SIGINT)
	if err := waitForDatabase(url + "postgres"); err != nil {
		return err
	}
	for _, name := range []string{"tests", "drill"} {
		if err := execute(ctx, url+"postgres", "create database "+name); err != nil {
			return err
		}
	}
	tests := exec.Command("go", "test", "-race", "-count=1", "./...")
	tests.Env = append(os.Environ(), "DATABASE_URL="+url+"tests")
	if out, err := tests.CombinedOutput(); err != nil {
		return fmt.Errorf("the unit tests fail: %w\n%s", err, out)
	}
	log.Print("unit tests with a database: ok")

	err = serve(dir, server, url+"drill", func(replicas []*process, base string) error {
		if err := refuseBodies(ctx, span/4, url+"drill", base); err != nil {
			return err
		}
		if err := outage(ctx, url+"drill", base, replicas); err != nil {
			return err
		}
		return drill(ctx, span, url+"drill", base, &chaos{replicas: replicas, database: database, url: url + "drill"})
	})
	if err != nil {
		return err
	}
	err = serve(dir, server, url+"drill?default_transaction_isolation=serializable", func(_ []*process, base string) error {
		return together(ctx, "serializable", url+"drill", base)
	})
	if err != nil {
		return err
	}
	return serve(dir, server, url+"drill", func(replicas []*process, base string) error {
		err := together(ctx, "read committed", url+"drill", base)
		for _, withKeys := range []bool{true, false} {
			if err == nil {
				err = writeOnce(ctx, once, withKeys, url+"drill", base, &chaos{replicas: replicas, database: database, url: url + "drill", killsOnly: true})
			}
		}
		return err
	})
}

// serve calls use with three replicas behind nginx.
func serve(dir, server, databaseURL string, use func(replicas []*process, base string) error) error {
	replicas, errs := make([]*process, 3), make([]error, 3)
	var starts sync.WaitGroup // together, so that one migrates and the others wait
	for i := range replicas {
		address, name := freeAddress(), fmt.Sprint("replica", i+1)
		r := &process{name: name, orphan: syscall.SIGKILL, log: filepath.Join(dir, name+".log"), address: address,
			args: []string{server, "-addr", address, "-drain", "200ms"}, env: []string{"DATABASE_URL=" + databaseURL}}
		defer r.stop(syscall.SIGKILL) // unless it has already ended properly
		starts.Go(func() { errs[i] = r.start() })
		replicas[i] = r
	}
	starts.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	nginx, err := newNginx(dir, replicas)
	if err != nil {
		return err
	}
	defer nginx.stop(syscall.SIGQUIT)
	return use(replicas, "http://"+nginx.address)
}

// drill runs the load and the chaos, and then compares the acknowledged writes with the database.
func drill(ctx context.Context, span time.Duration, databaseURL, base string, c *chaos) error {
	f := newFigures(&c.downtime)
	workers := make([]*worker, 13) // three of each protocol, and the owner of the crowd
	for i := range workers {
		w, err := newWorker(ctx, fmt.Sprint("w", i), protocols[i%4], databaseURL, base, f)
		if err != nil {
			return err
		}
		workers[i] = w
	}
	load, stop := context.WithTimeout(ctx, span)
	defer stop()
	var working, watching sync.WaitGroup
	watch, unwatch := context.WithCancel(ctx)
	for i, w := range workers {
		watching.Go(func() { w.watch(watch) })
		if i < 12 {
			working.Go(func() { w.run(load) })
			continue
		}
		for _, p := range protocols {
			client, _ := newClient(p, base, w.token, true, f) // no error: it is made like those above
			working.Go(func() { w.crowd(load, client, strings.ToLower(strings.ReplaceAll(p, " ", "-"))) })
		}
	}
	refused := newRefuser(base, workers[0].token, true)
	working.Go(func() { refused.run(load) })
	quiet, calm := context.WithTimeout(load, span-5*time.Second)
	defer calm()
	c.run(quiet, span/2)
	working.Wait()
	for _, w := range workers {
		slices.SortFunc(w.acked, func(a, b bookmarks.Bookmark) int { return cmp.Compare(a.ID, b.ID) })
	}
	for deadline := time.Now().Add(patience); slices.ContainsFunc(workers, (*worker).behind) && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	unwatch()
	watching.Wait()
	for _, r := range c.replicas {
		if err := r.stop(syscall.SIGTERM); err != nil {
			c.errs = append(c.errs, fmt.Errorf("%s at the end: %w", r.name, err))
		}
	}
	return errors.Join(report(ctx, databaseURL, workers, f, c), refused.report())
}

// report prints the figures and returns the problems.
func report(ctx context.Context, databaseURL string, workers []*worker, f *figures, c *chaos) error {
	acked, found, patched, streamed := 0, 0, 0, 0
	for _, w := range workers {
		acked, patched, streamed = acked+len(w.acked), patched+w.patched, streamed+len(w.watched)
		n, err := w.verify(ctx, databaseURL)
		if err != nil {
			f.fail("%s: %v", w.name, err)
		}
		found += n
	}
	for _, r := range c.replicas {
		if err := checkLog(r.log); err != nil {
			f.fail("%s: %v", r.name, err)
		}
	}
	for _, p := range protocols {
		log.Printf("%-15s %6d requests", p, f.requests[p])
	}
	log.Printf("replicas: %d SIGTERM, %d SIGKILL; the database crashed %d times, and %d starts were in vain meanwhile", c.terms, c.kills, c.crashes, c.vain)
	log.Printf("writes: %d acknowledged, %d found; %d changes acknowledged", acked, found, patched)
	log.Printf("streams: %d, which got %d items and went on %d times", len(workers), streamed, f.streams-len(workers))
	for _, kind := range slices.Sorted(maps.Keys(f.again)) {
		log.Printf("sent again after: %5d  %s", f.again[kind], kind)
	}
	log.Print(f.survival())
	return errors.Join(append(c.errs, f.problems())...)
}

// behind reports whether the stream of the owner does not have everything yet.
func (w *worker) behind() bool { return len(w.acked) > 0 && w.seen.Load() < w.acked[len(w.acked)-1].ID }

// verify compares the IDs that the owner was told with the IDs in the database and in the stream,
// and returns the number of rows. The pages have been compared as a whole.
func (w *worker) verify(ctx context.Context, databaseURL string) (int, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	rows, _ := conn.Query(ctx, "select id from bookmarks where owner = $1 order by id", w.name)
	found, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	var acked []int64
	for _, b := range w.acked {
		acked = append(acked, b.ID)
	}
	if err == nil && (!slices.Equal(found, acked) || !slices.Equal(w.watched, acked)) {
		err = fmt.Errorf("%d acknowledged, %d in the database, %d in the stream, or others", len(acked), len(found), len(w.watched))
	}
	return len(found), err
}

// checkLog returns the first line about a bug in the server.
func checkLog(name string) error {
	text, err := os.ReadFile(name)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"code":"INTERNAL"`) || strings.Contains(line, "panic") {
			return errors.New(line)
		}
	}
	return err
}

// execute runs a statement on the database.
func execute(ctx context.Context, url, sql string, args ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql, args...)
	return err
}
