// Command files checks uploads and downloads of a server by curl, directly and behind nginx;
// see the script check beside it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

var dir = flag.String("dir", ".", "the `directory` for files")

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
