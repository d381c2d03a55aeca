import { expect, test } from "vitest";
import { isLoopbackAddress, isLoopbackHost } from "./loopback.ts";

test.each(
  "localhost localhost. api.localhost 127.0.0.1 127.1 127.8.8.8 0.0.0.0 0x7f000001 2130706433 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]".split(
    " ",
  ),
)("%s is this machine, with and without a scheme, a port and a path", (host) => {
  expect(isLoopbackHost(host)).toBe(true);
  for (const address of [`http://${host}:3000/x?y=1`, `https://${host}`, `${host}:8124/healthz`])
    expect(isLoopbackAddress(address), address).toBe(true);
});

test.each([
  "example.com",
  "localhost.example.com",
  "127.0.0.1.example.com",
  "notlocalhost",
  "128.0.0.1",
  "10.0.0.1",
  "[::2]",
  "[fe80::1]",
  "localhost:80@example.com",
  "localhost\\@example.com",
  "localhost example.com",
  "",
])("%j is not", (host) => {
  expect(isLoopbackHost(host)).toBe(false);
  expect(isLoopbackAddress(`http://${host}/`)).toBe(false);
});
