// Command files checks uploads and downloads of a server in another process, by curl, by
// net/http and by svc.Connect; see the script check beside it.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

var (
	size    = flag.Int64("size", 1<<30, "`bytes` of each large file")
	clients = flag.Int("clients", 16, "how many send or receive at a time")
	dir     = flag.String("dir", ".", "the `directory` for files")
	slow    = flag.Bool("slow", false, "upload for a minute with pauses, too")
)

const allowed = 64 << 20 // bytes of memory above idle

func main() {
	flag.Parse()
	log.SetFlags(0)
	if flag.Arg(0) == "serve" {
		serve()
	}
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	server := exec.Command(self, "serve")
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		log.Fatal(err)
	}
	defer server.Process.Kill()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	address = strings.TrimSpace(address)
	nginx := startNginx(address)
	defer nginx.Process.Kill()
	failed := false
	check := func(name string, err error) {
		if err != nil {
			failed = true
			fmt.Printf("FAILED: %s: %v\n", name, err)
			return
		}
		fmt.Printf("ok: %s\n", name)
	}
	for _, place := range []struct{ name, address string }{{"direct", address}, {"nginx without request buffering", unbuffered}, {"nginx with request buffering", buffered}} {
		for _, row := range curlRows {
			check("curl, "+place.name+": "+row.name, row.try("http://"+place.address))
		}
	}
	check("load", load(server.Process.Pid, "http://"+address))
	check("client", connect("http://"+address))
	if *slow {
		check("slow upload", slowUpload("http://"+address))
	}
	if failed {
		nginx.Process.Kill()
		server.Process.Kill()
		os.Exit(1)
	}
}

// The addresses of nginx.
var unbuffered, buffered = freePort(), freePort()

func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startNginx runs nginx in front of the server, twice. By default it asks the server to
// close each connection, and net/http then does so without waiting: nginx, which still
// sends, would answer 502 in place of an early 413.
func startNginx(address string) *exec.Cmd {
	text := "daemon off; master_process off; error_log stderr crit; pid DIR/nginx.pid; events {}\nhttp { access_log off; client_max_body_size 0; " +
		"client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path DIR/s;\n"
	for _, s := range [][2]string{{unbuffered, "off"}, {buffered, "on"}} {
		text += fmt.Sprintf("server { listen %s; location / { proxy_pass http://%s; proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_request_buffering %s; } }\n", s[0], address, s[1])
	}
	file := filepath.Join(*dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text+"}\n", "DIR", *dir)), 0o666); err != nil {
		log.Fatal(err)
	}
	nginx := exec.Command("/usr/sbin/nginx", "-c", file)
	nginx.Stderr = os.Stderr
	if err := nginx.Start(); err != nil {
		log.Fatal(err)
	}
	for range 1200 { // 60 s
		if conn, err := net.Dial("tcp", buffered); err == nil {
			conn.Close()
			return nginx
		}
		time.Sleep(50 * time.Millisecond)
	}
	log.Fatal("nginx does not start")
	return nil
}

// A curlRow is one run of curl.
type curlRow struct {
	name  string
	args  string // FILE is a file of 2 MB, URL the server
	stdin bool   // the file is standard input
	want  string // a regular expression for the status, the header and the body
}

var curlRows = []curlRow{
	{"-T", "-T FILE URL/files/hash", false, `HTTP/1.1 200 OK(?s:.*)"size":2000000,"hash":"HASH"`},
	{"-T of standard input", "-T - URL/files/hash", true, `HTTP/1.1 200 OK(?s:.*)"size":2000000,"hash":"HASH"`},
	{"--data-binary", "-X PUT --data-binary @FILE URL/files/hash", false, `"size":2000000,"hash":"HASH"`},
	{"--limit-rate", "--limit-rate 1M -T FILE URL/files/hash", false, `"size":2000000,"hash":"HASH"`},
	{"too large", "-T FILE -H Content-Type:text/plain URL/small", false, `HTTP/1.1 413 (?s:.*)RESOURCE_EXHAUSTED`},
	{"too large, chunked", "-T - -H Content-Type:text/plain URL/small", true, `HTTP/1.1 413 (?s:.*)RESOURCE_EXHAUSTED`},
	{"another type", "-T FILE -H Content-Type:image/png URL/small", false, `HTTP/1.1 415 (?s:.*)text/plain`},
	{"-F", "-F title=x -F content=@FILE URL/forms", false, `HTTP/1.1 200 OK(?s:.*)"size":2000000,"hash":"HASH"`},
	{"-F of standard input", "-F title=x -F content=@-;type=text/plain URL/forms", true, `HTTP/1.1 200 OK(?s:.*)"size":2000000,"hash":"HASH"`},
	{"-F with names", "-F title=names -F tags=a -F tags=b -F content=@FILE;filename=../x/y.bin;type=text/plain URL/forms", false, `HTTP/1.1 200 OK(?s:.*)"hash":"a,b,y.bin"`},
	{"-F with the file first", "-F content=@FILE -F title=x URL/forms", false, `HTTP/1.1 400 (?s:.*)"path":"/title","rule":"order"`},
	{"-F with a field behind the file", "-F title=x -F content=@FILE -F tags=a URL/forms", false, `HTTP/1.1 400 (?s:.*)"path":"/tags","rule":"order"`},
	{"-F of another type", "-F title=x -F content=@FILE;type=image/png URL/forms", false, `HTTP/1.1 415 (?s:.*)the part content`},
	{"-F without the file", "-F title=x URL/forms", false, `HTTP/1.1 400 (?s:.*)"path":"/content","rule":"required"`},
	{"-d", "-d title=x URL/forms", false, `HTTP/1.1 415 (?s:.*)multipart/form-data`},
	{"-F of what is no form", "-X PUT -F a=@FILE URL/files/hash", false, `HTTP/1.1 415 (?s:.*)MethodOptions.Form`},
	{"download", "URL/files/10", false, `HTTP/1.1 200 OK(?s:.*)Etag: "v1"(?s:.*)\r\n\r\n\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09$`},
	{"-r 2-3", "-r 2-3 URL/files/10", false, `HTTP/1.1 206 (?s:.*)Content-Range: bytes 2-3/10\r(?s:.*)\r\n\r\n\x02\x03$`},
	{"-r 8-", "-r 8- URL/files/10", false, `HTTP/1.1 206 (?s:.*)\r\n\r\n\x08\x09$`},
	{"-r -1", "-r -1 URL/files/10", false, `HTTP/1.1 206 (?s:.*)\r\n\r\n\x09$`},
	{"-r 0-0,2-2", "-r 0-0,2-2 URL/files/10", false, `HTTP/1.1 200 OK(?s:.*)Content-Length: 10\r`},
	{"-r 10-", "-r 10- URL/files/10", false, `HTTP/1.1 416 (?s:.*)Content-Range: bytes \*/10\r(?s:.*)OUT_OF_RANGE`},
	{"If-Range that holds", `-r 2-3 -H If-Range:"v1" URL/files/10`, false, `HTTP/1.1 206 `},
	{"If-Range that does not", `-r 2-3 -H If-Range:"v2" URL/files/10`, false, `HTTP/1.1 200 (?s:.*)Content-Length: 10\r`},
	{"If-None-Match", `-H If-None-Match:"v1" URL/files/10`, false, `HTTP/1.1 304 `},
	{"If-Match", `-H If-Match:"v2" URL/files/10`, false, `HTTP/1.1 412 (?s:.*)FAILED_PRECONDITION`},
	{"-I", "-I URL/files/10", false, `HTTP/1.1 200 OK(?s:.*)Content-Length: 10\r`},
	{"copied", "-r 2-3 URL/copies/10", false, `HTTP/1.1 200 OK(?s:.*)Content-Length: 10\r`},
	{"an error", "URL/files/-1", false, `HTTP/1.1 404 (?s:.*)NOT_FOUND`},
	{"-OJ", "-OJ --output-dir DIR URL/files/10", false, ``},
}

// try runs curl. -OJ saves a file, which must have the name that the server gives it.
func (row curlRow) try(url string) error {
	file := filepath.Join(*dir, "two.bin")
	hash, err := makeFile(file, 2_000_000)
	if err != nil {
		return err
	}
	fill := strings.NewReplacer("FILE", file, "URL", url, "DIR", *dir)
	args := []string{"-sS", "-i", "--max-time", "60"}
	saves := strings.Contains(row.args, "-OJ")
	if saves {
		args = args[:1]
	}
	cmd := exec.Command("curl", append(args, strings.Fields(fill.Replace(row.args))...)...)
	if row.stdin {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	if saves { // curl reads filename, and not filename*
		saved := filepath.Join(*dir, "gr__e 10.bin")
		defer os.Remove(saved)
		_, err := os.Stat(saved)
		return err
	}
	want := regexp.MustCompile(strings.ReplaceAll(row.want, "HASH", hash))
	if !want.MatchString(canonical(string(out))) {
		return fmt.Errorf("got %.400q", out)
	}
	return nil
}

// canonical returns an answer without 100 Continue, which curl shows first.
func canonical(answer string) string {
	for strings.HasPrefix(answer, "HTTP/1.1 100 ") {
		_, answer, _ = strings.Cut(answer, "\r\n\r\n")
	}
	return strings.ReplaceAll(answer, "ETag: ", "Etag: ")
}

// load sends and receives large files at the same time, and holds the server to a little
// memory.
func load(pid int, url string) error {
	idle := memory(pid, "VmRSS")
	began := time.Now()
	errs := make([]error, 2**clients)
	var all sync.WaitGroup
	for i := range *clients {
		all.Add(2)
		go func() { defer all.Done(); errs[2*i] = upload(url) }()
		go func() { defer all.Done(); errs[2*i+1] = download(url, i%2 == 0) }()
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	most := memory(pid, "VmHWM")
	fmt.Printf("%d uploads and %d downloads of %d MiB in %v: %d MiB at most, %d MiB when idle\n", *clients, *clients, *size>>20, time.Since(began).Round(time.Second), most>>20, idle>>20)
	if most-idle > allowed {
		return fmt.Errorf("the server took %d MiB more than when idle", (most-idle)>>20)
	}
	return nil
}

func upload(url string) error {
	r, _ := http.NewRequest("PUT", url+"/files/x", &pattern{size: *size})
	r.ContentLength = *size
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if want := fmt.Sprintf(`"size":%d,`, *size); err != nil || !strings.Contains(string(text), want) {
		return fmt.Errorf("%s %s, %v", res.Status, text, err)
	}
	return nil
}

func download(url string, seeks bool) error {
	kind := "/copies/"
	if seeks {
		kind = "/files/"
	}
	res, err := http.Get(url + kind + strconv.FormatInt(*size, 10))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); err != nil || n != *size {
		return fmt.Errorf("%s: %d bytes, %v", res.Status, n, err)
	}
	return nil
}

// memory returns a line of the status of a process, in bytes.
func memory(pid int, name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		log.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return n << 10
}

// connect sends and receives a large file by a client of svc, whose memory is that of
// this process.
func connect(url string) error {
	var client struct {
		Put func(ctx context.Context, in *PutFile) (*Stored, error)
		Get func(ctx context.Context, in *GetFile) (*svc.File, error)
	}
	if err := svc.Connect[FileAPI](&client, url, &svc.ClientOptions{Service: options()}); err != nil {
		return err
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ctx := context.Background()
	out, err := client.Put(ctx, &PutFile{Name: "x", Content: svc.NewBody(&pattern{size: *size}, "")})
	if err != nil || out.Size != *size {
		return fmt.Errorf("%v, %v", out, err)
	}
	f, err := client.Get(ctx, &GetFile{Size: *size})
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, f.Content)
	f.Content.(io.Closer).Close()
	runtime.ReadMemStats(&after)
	if err != nil || n != *size || f.Name != fmt.Sprintf("größe %d.bin", *size) {
		return fmt.Errorf("%d bytes of %q, %v", n, f.Name, err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		return fmt.Errorf("the client allocated %d MiB", allocated>>20)
	}
	return nil
}

// slowUpload sends a block each 12 seconds, which is longer than the ReadTimeout and the
// WriteTimeout of the server, for a minute.
func slowUpload(url string) error {
	body, client := io.Pipe()
	go func() {
		for range 6 {
			client.Write(make([]byte, 64<<10))
			time.Sleep(12 * time.Second)
		}
		client.Close()
	}()
	began := time.Now()
	r, _ := http.NewRequest("PUT", url+"/files/x", body)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode != 200 || !strings.Contains(string(text), `"size":393216,`) {
		return fmt.Errorf("%s %s", res.Status, text)
	}
	fmt.Printf("an upload of %v\n", time.Since(began).Round(time.Second))
	return nil
}
