import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOOK_CLIENTS } from "../../packages/cli/src/clients/hook-call.ts";
import { CLIENTS } from "../../packages/cli/src/clients/install-client.ts";
import { isAnswer } from "../../packages/cli/src/hooks/answer/check-answer.ts";
import { answerTo, CLIENT_ANSWERS, clientsPage } from "./client-answers.ts";
import { payloadsOf } from "./payloads.ts";

test("docs/reference/clients.md is current: `npm run clients-page -- --write` writes it", () => {
  const page = new URL("../../docs/reference/clients.md", import.meta.url);
  expect(readFileSync(page, "utf8")).toBe(clientsPage());
});

test("what was recorded with a client shows a call allowed, confined, asked and denied, and nothing of the machine", () => {
  const page = clientsPage();
  for (const words of ["# allowed", "# confined", "# asked, and approved", "# denied", ": live\n"])
    expect(page).toContain(words);
  expect(page).not.toMatch(/\/(?:home|tmp|root|work)\/|mnt:\[\d/);
});

test.each(HOOK_CLIENTS)("every answer to %s has its form", (client) => {
  for (const one of CLIENT_ANSWERS[client].rows)
    expect([one, isAnswer(answerTo(client, one), client)]).toEqual([one, true]);
});

test.each(["claude-code", "cursor", "gemini-cli", "codex"] as const)(
  "every recorded event of %s that decides is on the page",
  (client) => {
    const recorded = Object.values(payloadsOf(client, { project: "/p", home: "/h" }));
    const events = new Set(recorded.map(({ hook_event_name: event }) => String(event)));
    const listed = new Set(CLIENT_ANSWERS[client].rows.map(({ event }) => event));
    expect([...events].filter((event) => !listed.has(event) && !/^after/i.test(event))).toEqual([]);
  },
);

test("every event that is installed for Codex is on the page", () => {
  const edits = CLIENTS.codex.hooks?.edits?.(["toolkeep"]) ?? [];
  const listed = new Set(CLIENT_ANSWERS.codex.rows.map(({ event }) => event));
  expect(edits.map(({ path }) => path[1]).filter((event) => !listed.has(event ?? ""))).toEqual([]);
});
