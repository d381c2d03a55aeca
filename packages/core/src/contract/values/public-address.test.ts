import { expect, test } from "vitest";
import { isPublicAddress } from "./public-address.ts";

test.each([
  "example.com",
  "https://docs.python.org/3/",
  "registry.npmjs.org:443",
  "https://a-b.co.uk/x?y=1@",
])("%s may be public", (address) => {
  expect(isPublicAddress(address)).toBe(!address.includes("@"));
});

test.each([
  "localhost",
  "http://127.0.0.1:8080",
  "http://2130706433/",
  "http://169.254.169.254/latest/meta-data",
  "http://[::1]/",
  "metadata.google.internal",
  "http://10.0.0.1",
  "intranet",
  "printer.local",
  "169.254.169.254.nip.io",
  "10-0-0-1.example.com",
  "https://me:secret@example.com",
  "https://{a,b}.example.com",
  "",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
