import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openStage } from "./open-stage.test.kit.ts";

let answer: { readonly status: number; readonly location: string | string[] };

const stage = await openStage((request, response) => {
  if (request.url !== "/from") return void response.end("arrived");
  const { status, location } = answer;
  if (location.length > 0) response.setHeader("location", location);
  response.writeHead(status).end("moved");
});
const { server, origin, elsewhere } = stage;
const seen = () => server.requests.slice(started);
let started = 0;
beforeEach(() => {
  started = server.requests.length;
});
afterAll(() => server.close());

const HEADERS = {
  accept: "text/html",
  authorization: "Bearer CANARY",
  cookie: "a=CANARY",
  "x-api-key": "CANARY",
  "content-type": "text/plain",
};

describe("a redirect", () => {
  test.each([
    [301, "GET", "GET"],
    [302, "HEAD", "HEAD"],
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [302, "PUT", "PUT"],
    [307, "POST", "POST"],
    [308, "PUT", "PUT"],
  ])("%i turns %s into %s", async (status, method, becomes) => {
    answer = { status, location: "/to" };
    const sent = method === "GET" || method === "HEAD" ? {} : { body: "sent" };
    const response = await stage.fetch({ path: "/from", method, headers: HEADERS, ...sent });
    expect(response.url).toBe(`${origin}/to`);
    const isKept = method === becomes;
    expect(seen()[1]).toMatchObject({ method: becomes, body: isKept && "body" in sent ? "sent" : "" });
    expect(seen()[1]?.headers["content-type"]).toBe(isKept ? "text/plain" : undefined);
    expect(seen()[1]?.headers["x-api-key"]).toBe("CANARY");
  });

  test("to another origin takes nothing along that may be a credential, whatever its name", async () => {
    answer = { status: 302, location: `${elsewhere}/to` };
    const response = await stage.fetch({ path: "/from", headers: HEADERS });
    expect(response.url).toBe(`${elsewhere}/to`);
    expect(JSON.stringify(seen()[0])).toContain("CANARY");
    expect(JSON.stringify(seen()[1])).not.toContain("CANARY");
    expect(seen()[1]?.headers.accept).toBe("text/html");
  });

  test("to another origin does not take a body along", async () => {
    answer = { status: 307, location: `${elsewhere}/to` };
    const failure = await stage.refusal({ path: "/from", method: "POST", body: "CANARY" });
    expect(failure).toMatchObject({ code: "out_of_scope", hint: "Send it there yourself if that is meant." });
    expect(seen().length).toBe(1);
  });

  test.each([
    ["an address that is not public", "http://10.0.0.1/"],
    ["another port", "http://one.test:1/"],
    ["a user name", "http://a:b@one.test/"],
    ["a file", "file:///etc/passwd"],
    ["a script", "javascript:alert(1)"],
    ["a local name", "//metadata.google.internal/"],
    ["a host that is hidden by a backslash", "/\\127.0.0.1/"],
  ])("to %s is refused", async (_what, location) => {
    answer = { status: 302, location };
    expect((await stage.refusal({ path: "/from" })).code).toBe("out_of_scope");
    expect(seen().length).toBe(1);
  });

  test.each([
    [302, "GET", "/to"],
    [307, "DELETE", "/to"],
    [308, "PUT", "http://two.test/to"],
    [302, "GET", "file:///etc/passwd"],
  ])("%i for %s is the answer where it is not to be followed", async (status, method, location) => {
    answer = { status, location };
    const response = await stage.fetch({ path: "/from", method, headers: HEADERS, redirect: "manual" });
    expect(response).toMatchObject({ status, text: "moved", url: `${origin}/from` });
    expect(response.headers["location"]).toBe(location);
    expect(seen().length).toBe(1);
  });

  test("to two targets at once is to none", async () => {
    answer = { status: 302, location: ["/to", "/other"] };
    expect((await stage.refusal({ path: "/from" })).code).toBe("unavailable");
  });

  test("that is none by its status, or has no target, is a response", async () => {
    for (const status of [200, 201, 300, 304]) {
      answer = { status, location: "/to" };
      expect((await stage.fetch({ path: "/from" })).status).toBe(status);
    }
    answer = { status: 302, location: [] };
    expect((await stage.fetch({ path: "/from" })).text).toBe("moved");
  });

  test("is followed as often as the host application allows, also not at all", async () => {
    answer = { status: 302, location: "/from" };
    expect((await stage.refusal({ path: "/from" }, { bounds: { maxRedirects: 0 } })).code).toBe(
      "unavailable",
    );
    expect(seen().length).toBe(1);
    await stage.refusal({ path: "/from" }, { bounds: { maxRedirects: 2 } });
    expect(seen().length).toBe(4);
  });
});
