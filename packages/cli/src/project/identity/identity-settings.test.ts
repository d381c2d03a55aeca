import { expect, test } from "vitest";
import { identitySettings } from "./identity-settings.ts";

const issuer = "https://login.example.com";
const audience = "toolkeep";

test("nothing is configured by default", () => {
  expect(identitySettings({ identity: {} })).toBeUndefined();
  expect(identitySettings({ identity: { issuer, audience } })).toEqual({ issuer, audience });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["no audience", { issuer }],
  ["no issuer", { audience, tokenFile: "/t" }],
  ["an issuer that anybody can answer for", { audience, issuer: "http://login.example.com" }],
  ["an issuer with a query", { audience, issuer: `${issuer}?x` }],
  ["an issuer that is no address", { audience, issuer: "login.example.com" }],
  ["keys that anybody can answer with", { audience, issuer, jwksUri: "http://login.example.com/keys" }],
  ["keys on another machine's disk", { audience, issuer, jwksUri: "file://host/keys" }],
])("settings with %s are refused, with what to write", (_what, identity) => {
  expect(() => identitySettings({ identity })).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("no user can be identified"),
      hint: expect.any(String),
    }),
  );
});
