package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// freeAddress returns an address on which no program listens.
func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A process is a program that the drill starts and restarts. It always ends with the drill itself.
type process struct {
	name    string
	args    []string
	env     []string
	user    *syscall.Credential // nil for the user of the drill
	orphan  syscall.Signal      // the signal to the process if the drill dies
	log     string              // a file
	address string              // where it listens
	cmd     *exec.Cmd
	ended   chan error // of cmd
}

// start starts the process and waits until it listens or ends.
func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(os.Environ(), p.env...), log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: p.orphan, Credential: p.user}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan error) { ended <- cmd.Wait(); close(ended) }(p.cmd, p.ended)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if conn, err := net.Dial("tcp", p.address); err == nil {
			return conn.Close()
		}
		select {
		case err := <-p.ended:
			return fmt.Errorf("%s ends: %w", p.name, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	p.stop(syscall.SIGKILL)
	return fmt.Errorf("%s does not listen", p.name)
}

// stop sends a signal and waits until the process has ended, unless it already has.
func (p *process) stop(signal syscall.Signal) error {
	if p.ended == nil {
		return nil
	}
	p.cmd.Process.Signal(signal)
	killer := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	defer killer.Stop()
	return <-p.ended
}

// waitForDatabase returns once the database answers: it listens before it is ready.
func waitForDatabase(url string) (err error) {
	for range 600 { // 60 s
		if err = execute(context.Background(), url, "select 1"); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// newPostgres makes a database cluster in dir. PostgreSQL does not run as root.
func newPostgres(dir string) (*process, string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // of Debian
	if len(found) == 0 {
		return nil, "", errors.New("PostgreSQL is not installed")
	}
	tool := func(name string) string { return filepath.Join(found[len(found)-1], name) }
	home := filepath.Join(dir, "postgres")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, "", err
	}
	var credential *syscall.Credential
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, "", err
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(home, uid, gid); err != nil {
			return nil, "", err
		}
		if err := os.Chmod(dir, 0o711); err != nil { // to get through
			return nil, "", err
		}
	}
	data := filepath.Join(home, "data")
	init := exec.Command(tool("initdb"), "-D", data, "-A", "trust", "-U", "drill", "-E", "UTF8", "--locale=C", "--no-sync")
	init.Dir, init.SysProcAttr = home, &syscall.SysProcAttr{Credential: credential}
	if out, err := init.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("initdb: %w\n%s", err, out)
	}
	address := freeAddress()
	_, port, _ := net.SplitHostPort(address)
	p := &process{name: "postgres", user: credential, orphan: syscall.SIGQUIT, log: filepath.Join(dir, "postgres.log"), address: address,
		args: []string{tool("postgres"), "-D", data, "-p", port, "-k", "", "-c", "listen_addresses=127.0.0.1"}}
	return p, "postgres://drill@" + address + "/", p.start()
}

//go:embed nginx.conf
var nginxConf string

// newNginx starts nginx in front of the replicas.
func newNginx(dir string, replicas []*process) (*process, error) {
	var servers []string
	for _, r := range replicas {
		servers = append(servers, "server "+r.address+" fail_timeout=1s;")
	}
	address, file := freeAddress(), filepath.Join(dir, "nginx.conf")
	conf := strings.NewReplacer("DIR", dir, "LISTEN", address, "SERVERS", strings.Join(servers, "\n\t\t")).Replace(strings.SplitN(nginxConf, "\ndaemon", 2)[1])
	if err := os.WriteFile(file, []byte("daemon"+conf), 0o600); err != nil {
		return nil, err
	}
	path, err := exec.LookPath("nginx")
	if err != nil {
		path = "/usr/sbin/nginx"
	}
	p := &process{name: "nginx", orphan: syscall.SIGKILL, log: filepath.Join(dir, "nginx.out"), address: address, args: []string{path, "-c", file}}
	return p, p.start()
}

// A chaos stops processes and starts them again.
type chaos struct {
	replicas              []*process
	database              *process
	url                   string // of the database
	killsOnly             bool   // no replica gets SIGTERM
	terms, kills, crashes int    // crashes are of the database
	vain                  int    // starts, since the database was down
	errs                  []error
	downtime              downtime
}

// run stops a replica every 2.5 seconds, by SIGTERM and SIGKILL in turns, until ctx ends. Every so
// often the database crashes and is away for two seconds. The times are random: all clients that a
// kill cuts off wait for the second of Retry-After, and could come back just in time for the next
// kill. nginx avoids a failed replica for a while, so much faster kills could leave it without any.
func (c *chaos) run(ctx context.Context, every time.Duration) {
	var wg sync.WaitGroup
	var databaseErr error
	wg.Go(func() {
		for sleep(ctx, every) {
			databaseErr = errors.Join(databaseErr, c.crash())
		}
	})
	pause := func() time.Duration {
		const mean = 2500 * time.Millisecond
		return mean*3/4 + rand.N(mean/2)
	}
	for i := 0; sleep(ctx, pause()); i++ {
		r := c.replicas[i%len(c.replicas)]
		if i%2 == 0 && !c.killsOnly {
			c.terms++
			if err := r.stop(syscall.SIGTERM); err != nil {
				c.errs = append(c.errs, fmt.Errorf("%s after SIGTERM: %w", r.name, err))
			}
		} else {
			c.kills++
			r.stop(syscall.SIGKILL)
		}
		c.restart(r)
	}
	wg.Wait()
	c.errs = append(c.errs, databaseErr)
}

// crash stops the database without a checkpoint, and returns once it answers again.
func (c *chaos) crash() error {
	c.crashes++
	c.downtime.begin()
	defer c.downtime.end()
	c.database.stop(syscall.SIGQUIT)
	time.Sleep(2 * time.Second)
	if err := c.database.start(); err != nil {
		return err
	}
	return waitForDatabase(c.url)
}

// restart starts a replica until it stays, as Kubernetes does.
func (c *chaos) restart(r *process) {
	for range 200 { // 60 s
		if err := r.start(); err == nil {
			return
		}
		c.vain++
		time.Sleep(300 * time.Millisecond)
	}
	c.errs = append(c.errs, fmt.Errorf("%s does not start any more", r.name))
}

// sleep waits and reports whether ctx is still good.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
