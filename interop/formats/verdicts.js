// Prints what ajv-formats says in full mode of texts of each checked format: one line for each,
// with the format, 1 or 0, and the text as JSON. The texts are made by a fixed random source.
const Ajv = require("ajv");
const addFormats = require("ajv-formats");
const ajv = new Ajv();
addFormats(ajv, { mode: "full" });
const seeds = {
  date: ["2026-03-31", "2024-02-29", "2023-02-29", "2000-02-29", "1900-02-29", "2026-04-31", "0000-01-01", "2026-00-10", "2026-13-01", "2026-1-1", "9999-12-31"],
  time: ["15:04:05Z", "15:04:05.123z", "23:59:60Z", "22:59:60Z", "23:59:60+00:00", "00:59:60+01:00", "18:59:60-05:00", "24:00:00Z", "15:04:05", "15:04:05+23:59", "15:04:05+24:00", "15:04Z", "15:60:00Z", "15:04:05+0930", "15:04:05-09", "23:59:60.5Z", "00:00:60+00:01", "23:59:60.Z"],
  "date-time": ["2026-03-31T15:04:05Z", "2026-03-31t15:04:05.5z", "2026-03-31T15:04:05+01:30", "2026-12-31T23:59:60Z", "2026-03-31", "2026-02-30T00:00:00Z", "2026-03-31T15:04:05", "2026-03-31 15:04:05Z", "2026-03-31\t15:04:05Z", "2026-03-31T15:04:05+0930", "2026-03-31T15:04:05-09"],
  email: ["ada@example.com", "a.b+c@x-y.example.org", "a@b", "@b.c", "a@", "a..b@c.de", ".a@c.de", "a@c-.de", "a@-c.de", "a@c..de", "\"a b\"@c.de", "a@[1.2.3.4]", "a@b@c.de", "ü@c.de", "a@1.2"],
  uuid: ["123e4567-e89b-42d3-a456-426614174000", "urn:uuid:123E4567-E89B-42D3-A456-426614174000", "123e4567e89b42d3a456426614174000", "{123e4567-e89b-42d3-a456-426614174000}", "00000000-0000-0000-0000-000000000000"],
  uri: ["https://example.com/", "http://u:p@h.example:80/a/b?c=d#e", "mailto:ada@example.com", "urn:a:b", "http://[::1]:8080/", "http://[v1.a]/", "http://[::01.002.3.4]/", "a:", "a:/", "a://", "a:///b", "//x/y", "/x", "x", "http://h/%zz", "http://h/%41", "http://h/ä", "http://h/a b", "http://h:8a/", "1a:b", "a:b#c#d", "http://h/[", "a:?q", "a:#f", "file:///etc/x", "a:/:b", "http://a@b@c/"],
  hostname: ["example.com", "example.com.", "a", "-a.b", "a-.b", "a..b", ".a", "", ".", "a_b", "xn--bcher-kva.example", "1.2.3.4", "a".repeat(63), "a".repeat(64), ("a".repeat(49) + ".").repeat(5) + "abc", ("a".repeat(49) + ".").repeat(5) + "abcd", ("a".repeat(49) + ".").repeat(5) + "abc."],
  ipv4: ["192.0.2.1", "0.0.0.0", "255.255.255.255", "256.0.0.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.", "1.2.3.4 ", "٣.2.3.4"],
  ipv6: ["2001:db8::1", "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "1:2:3:4::5:6:7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.04", "1::2::3", ":::", "fe80::1%eth0", "12345::", "g::", "1:2:3:4:5:6:7", "1.2.3.4::", "::1.2.3.4:5"],
};
const parts = "0 1 2 5 9 a F z - . : :: / // @ % %4f + T Z z ? # [ ] _ ~ \u00e4 00 60 59 23 \n".split(" ").concat([" ", "\t"]);
let state = 45;
const below = (n) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % n;
for (const format of Object.keys(seeds)) {
  const check = ajv.compile({ type: "string", format });
  const texts = new Set(["", ...seeds[format]]);
  while (texts.size < 400) {
    let text = seeds[format][below(seeds[format].length)];
    for (let n = 1 + below(2); n > 0; n--) {
      const at = below(text.length + 1);
      text = text.slice(0, at) + (below(3) ? parts[below(parts.length)] : "") + text.slice(at + below(3));
    }
    texts.add(text);
  }
  for (const text of texts) console.log(format, check(text) ? 1 : 0, JSON.stringify(text));
}
