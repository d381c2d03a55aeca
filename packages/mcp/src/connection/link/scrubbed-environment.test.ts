import { expect, test } from "vitest";
import { scrubbedEnvironment } from "./scrubbed-environment.ts";

test("a program is told how the network is reached, and whom to trust there", () => {
  const ours = {
    HTTP_PROXY: "http://proxy.corp:3128",
    https_proxy: "http://proxy.corp:3128",
    NO_PROXY: "localhost,.corp",
    NODE_EXTRA_CA_CERTS: "/etc/corp@inside.pem",
    SSL_CERT_FILE: "/etc/ssl/all.pem",
    SSL_CERT_DIR: "/etc/ssl/certs",
  };
  expect(scrubbedEnvironment(ours, {})).toEqual(ours);
});

test.each([
  ["HTTPS_PROXY", "http://ada:secret@proxy.corp:3128"],
  ["http_proxy", "ada:secret@proxy.corp:3128"],
  ["HTTP_PROXY", "http://token@proxy.corp"],
  ["Http_Proxy", "http://proxy.corp"],
  ["HTTP_PROXY", "() { :; }; echo"],
  ["HTTP_PROXY_TOKEN", "secret"],
  ["NODE_OPTIONS", "--require=/tmp/x.js"],
  ["GITHUB_TOKEN", "secret"],
])("%s=%s stays with us", (name, value) => {
  expect(scrubbedEnvironment({ [name]: value }, {})).toEqual({});
});

test("what its entry says counts, also a proxy that wants a name", () => {
  const entry = { HTTPS_PROXY: "http://ada:secret@proxy.corp:3128" };
  expect(scrubbedEnvironment({ HTTPS_PROXY: "http://other.corp" }, entry)).toEqual(entry);
});
