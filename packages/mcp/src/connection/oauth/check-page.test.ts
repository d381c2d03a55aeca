import { expect, test } from "vitest";
import { serverAddress } from "../link/server-address.ts";
import { checkEndpoint, checkPage } from "./check-page.ts";

const far = new URL("https://mcp.example/mcp");
const near = new URL("http://localhost:3000/mcp");

test.each([
  "https://login.example/authorize?client_id=a&state=b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback",
  "https://login.example:8443/a/b-c_d~e.f",
])("%s may be opened", (page) => {
  expect(() => checkPage(new URL(page), far)).not.toThrow();
});

test.each([
  ["http://login.example/", "not https"],
  ["file:///c:/windows/system32/calc.exe", "not https"],
  ["ms-settings:x", "not https"],
  ["https://login.example/$(calc)", "not allowed"],
  ["https://login.example/a'b", "not allowed"],
  ["https://login.example/a|b", "not allowed"],
  ["https://login.example/?a=$(calc)", "not allowed"],
  ["https://me:pw@login.example/", "a user name or a password"],
  ["http://127.0.0.1:9/authorize", "points to this machine"],
])("%s may not be opened", (page, reason) => {
  expect(() => checkPage(new URL(page), far)).toThrow(
    expect.objectContaining({ code: "denied", message: expect.stringContaining(reason) }),
  );
});

test("a page of any length is none", () => {
  const page = new URL(`https://login.example/${"a".repeat(9_000)}`);
  expect(() => checkPage(page, far)).toThrow("too long");
});

test("a server on this machine may have its login here, and no other server may", () => {
  expect(() => checkPage(new URL("http://127.0.0.1:9/authorize"), near)).not.toThrow();
  expect(() => checkEndpoint(new URL("http://localhost:9/token"), near)).not.toThrow();
  expect(() => checkEndpoint(new URL("http://localhost:9/token"), far)).toThrow("points to this machine");
});

test.each([
  "https://10.0.0.1/token",
  "https://169.254.169.254/latest/meta-data",
  "https://192.168.1.1/",
  "https://172.20.0.1/",
  "https://100.100.0.1/",
  "https://[fd00::1]/",
  "https://[fe80::1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::a00:1]/",
  "https://[64:ff9b::a00:1]/",
  "https://[64:ff9b:1::a00:1]/",
  "https://[2002:a00:1::]/",
  "https://[2001:0:a00:1::]/",
  "https://192.0.0.1/",
  "https://192.0.0.192/",
  "https://198.18.0.1/",
  "https://198.19.255.255/",
  "https://168.63.129.16/",
  "https://239.0.0.1/",
  "https://0xa000001/",
  "https://10.1/",
  "https://10.0.0.1./",
  "https://metadata.google.internal/",
  "https://METADATA.google.internal./",
  "https://instance-data/",
])("%s is not asked for tokens", (endpoint) => {
  expect(() => checkEndpoint(new URL(endpoint), far)).toThrow("private network");
});

test("public addresses are asked", () => {
  for (const endpoint of [
    "https://login.example/token",
    "https://93.184.216.34/token",
    "https://[2606:4700::1111]/",
  ])
    expect(() => checkEndpoint(new URL(endpoint), far)).not.toThrow();
});

test("localhost with a dot at its end is this machine where that is refused, and is not where it is let in", () => {
  for (const host of ["localhost.", "localhost..", "a.localhost."]) {
    expect(() => checkEndpoint(new URL(`https://${host}:9/token`), far)).toThrow("points to this machine");
    expect(() => checkEndpoint(new URL(`http://${host}:9/token`), near)).toThrow("not https");
    expect(() => serverAddress(`http://${host}/mcp`, false)).toThrow("plain http");
  }
});
