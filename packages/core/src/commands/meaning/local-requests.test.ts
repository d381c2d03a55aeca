import { expect, test } from "vitest";
import { splitCommand } from "../../contract/call/effect.ts";
import { asksThisMachine, readsThisMachine } from "./local-requests.ts";

test.each([
  "curl -sf http://127.0.0.1:8124/healthz",
  "curl -s localhost:8124/put?k=a",
  "curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8123/health",
  "curl -sS -X POST localhost:8123/quote -H 'content-type: application/json' -d '{}'",
  "curl --max-time 5 --fail http://[::1]:80/ http://api.localhost/",
  "wget -qO- http://0.0.0.0:9000/metrics",
  "http POST :3000/api name=ada",
  "xh localhost:3000/api",
])("%s asks this machine", (line) => {
  expect(asksThisMachine(splitCommand(line))).toBe(true);
});

test.each([
  "curl https://example.com",
  "curl http://localhost:3000 https://example.com",
  "curl -x http://proxy.example http://localhost:3000",
  "curl -sx proxy.example http://localhost:3000",
  "curl -L http://localhost:3000",
  "curl -K settings http://localhost:3000",
  "curl --resolve localhost:80:203.0.113.1 http://localhost",
  "curl --connect-to ::example.com: http://localhost",
  "curl -o -d example.com http://localhost",
  "curl --url example.com http://localhost",
  "curl http://localhost@example.com",
  "curl",
  "wget -i list.txt http://localhost",
  "http --proxy=http:http://proxy.example :3000/api",
  "nc localhost 80",
])("%s may ask another one", (line) => {
  expect(asksThisMachine(splitCommand(line))).toBe(false);
});

test.each([
  "curl -sf http://127.0.0.1:8124/healthz",
  "curl -s 'localhost:8124/put?k=a&v=1'",
  "curl -s -o /dev/null -w '%{http_code} %{time_total}\\n' 'http://[::1]:8080/orders?limit=5'",
  "curl -sI --max-time 5 http://0.0.0.0:3100/up -H 'Accept: application/json'",
  "curl -fsS -XGET -m5 localhost:9999",
  "wget -qO- http://localhost:6007/index.json",
  "wget -q --spider http://127.1:9000/",
])("%s only reads from this machine", (line) => {
  expect(readsThisMachine(splitCommand(line))).toBe(true);
});

test.each([
  "curl https://example.com",
  "curl -X POST localhost:2375/containers/create",
  "curl -sXDELETE localhost:9200/orders",
  "curl -d name=ada localhost:3000",
  "curl -d@notes.md localhost:3000",
  "curl -T notes.md localhost:3000",
  "curl -H @notes.md localhost:3000",
  "curl -H@notes.md localhost:3000",
  "curl -w @notes.md localhost:3000",
  "curl -w '%output{notes.md}%{http_code}' localhost:3000",
  "curl -o notes.md localhost:3000",
  "curl -sonotes.md localhost:3000",
  "curl -O localhost:3000/notes.md",
  "curl -D notes.md localhost:3000",
  "curl -c notes.md localhost:3000",
  "curl -b notes.md localhost:3000",
  "curl -L localhost:3000",
  "curl -K notes.md localhost:3000",
  "wget http://localhost:3000/notes.md",
  "wget -qO notes.md http://localhost:3000",
  "wget -qO- --post-data=x http://localhost:3000",
  "wget -qO- --method=DELETE http://localhost:3000",
  "http :3000/api",
  "curl -s localhost:2375/containers/json",
  "curl -s 'http://127.0.0.1:8001?x'",
  "./curl localhost:3000",
])("%s does not, or keeps the answer", (line) => {
  expect(readsThisMachine(splitCommand(line))).toBe(false);
});
