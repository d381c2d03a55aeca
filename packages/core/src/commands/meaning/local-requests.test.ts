import { expect, test } from "vitest";
import { splitCommand } from "../../contract/call/effect.ts";
import { asksThisMachine } from "./local-requests.ts";

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
