import { expect, test } from "vitest";
import { readParameters } from "./read-parameters.ts";

const header = (name: string) => ({ name, in: "header", schema: { type: "string" } });
const isCredential = () => false;

test.each([
  "X-HTTP-Method-Override",
  "X-HTTP-Method",
  "x_http_method_override",
  "X-Method-Override",
  "X-Original-URL",
  "X-Rewrite-URL",
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Real-IP",
  "X-Envoy-Original-Path",
  "X-REST-Method",
  "X-HTTP-Path-Override",
  "X-Verb-Tunneling",
  "X-HTTP-Host-Override",
  "Client-IP",
  "Fastly-Client-IP",
  "X-Cluster-Client-IP",
  "X-Azure-ClientIP",
  "X-ProxyUser-Ip",
  "X-Remote-Addr",
  "X-Custom-IP-Authorization",
  "Authorization",
  "Proxy-Authorization",
])("the header %s is never an argument: it would make another request of it", (name) => {
  expect(readParameters([header(name)], isCredential)).toEqual([]);
});

test.each(["X-Trace", "X-Forward", "If-Match", "X-Original-Name"])("the header %s is one", (name) => {
  expect(readParameters([header(name)], isCredential).map((one) => one.name)).toEqual([name]);
});
