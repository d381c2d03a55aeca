import { describe, expect, test } from "vitest";
import {
  type Effect,
  fsRead,
  fsWrite,
  netFetch,
  type RequirementSet,
  shellRun,
} from "../../../contract/call/effect.ts";
import { AccessRefused } from "../../../contract/call/result.ts";
import type { Grant, GrantIo } from "../../../contract/stages/grant.ts";
import { defineTool } from "../../../contract/tool/define-tool.ts";
import { memoryJournal } from "../../../journal/memory-journal.ts";
import { createSession } from "../../../session/create-session.ts";
import { fakeIo } from "../../../testing/fake-io.ts";

const ALLOW = [{ permission: "*", pattern: "**", action: "allow" as const }];

/** Runs one call whose tool has some effects and then tries to use something. */
async function reach(access: Effect, effects: readonly Effect[], requires: RequirementSet, ceiling = {}) {
  const world = fakeIo();
  let grant: Grant | undefined;
  const grantIo: GrantIo = (given) => {
    grant = given;
    return world.grantIo(given);
  };
  const journal = memoryJournal();
  const tool = defineTool({
    name: "reach",
    description: "Reaches for something.",
    inputSchema: { type: "object" },
    requires,
    effects: () => [...effects],
    execute: (_args, ctx) => {
      ctx.io;
      grant?.check(access);
      return "done";
    },
  });
  const variables = { workspace: ["/ws"] };
  const session = await createSession({
    tools: [tool],
    policy: ALLOW,
    grantIo,
    journal,
    variables,
    ...ceiling,
  });
  const result = await session.call({ id: "c", name: "reach", arguments: {} });
  const refusals = [];
  for await (const event of journal.read()) if (event.type === "access-refuse") refusals.push(event);
  return { result, refusals, grant };
}

describe("I/O is limited to the effects of the call", () => {
  const requires = { fs: { read: ["{workspace}/**"], write: ["{workspace}/out/**"] } };

  test("[C67] an access that is an effect of the call passes, by its name or by a pattern", async () => {
    for (const effects of [[fsRead("/ws/a")], [fsRead("/ws/**")]]) {
      const { result, refusals } = await reach(fsRead("/ws/a"), effects, requires);
      expect(result.ok).toBe(true);
      expect(refusals).toEqual([]);
    }
  });

  test("[C67] one that is not an effect of the call is refused and recorded, though the tool requires it", async () => {
    const { result, refusals } = await reach(fsRead("/ws/b"), [fsRead("/ws/a")], requires);
    expect(result.failure).toMatchObject({ code: "out_of_scope" });
    expect(refusals).toMatchObject([
      {
        callId: "c",
        tool: "reach",
        capability: "fs.read",
        target: "/ws/b",
        reason: "is outside what this call was allowed to do",
      },
    ]);
  });

  test("what was refused is a field of the failure, so that no tool reads it from the message", async () => {
    const { grant } = await reach(fsRead("/ws/a"), [fsRead("/ws/a")], requires);
    const failed = (act: () => void) => {
      try {
        return act();
      } catch (error) {
        return error;
      }
    };
    // The call is over by now, which is no refusal of an access.
    expect(failed(() => grant?.check(fsRead("/ws/b")))).not.toBeInstanceOf(AccessRefused);
    const seen: unknown[] = [];
    await reach(fsRead("/ws/a"), [fsRead("/ws/a")], requires, {
      grantIo: (given: Grant) => {
        seen.push(failed(() => given.check(netFetch("two.test"))));
        seen.push(failed(() => given.refuse(netFetch("three.test"), "has a private address")));
        return fakeIo().grantIo(given);
      },
    });
    expect(seen[0]).toBeInstanceOf(AccessRefused);
    expect(seen[0]).toMatchObject({ access: { capability: "net.fetch", target: "two.test" } });
    expect(seen[1]).not.toBeInstanceOf(AccessRefused);
  });

  test("[C67] reading what may be written is no effect of the call either", async () => {
    const { result } = await reach(fsRead("/ws/out/a"), [fsWrite("/ws/out/a")], requires);
    expect(result.failure?.code).toBe("out_of_scope");
  });

  test("[C67] nor does anything outside of what the tool requires, or of the ceiling, pass", async () => {
    const outside = await reach(netFetch("evil.example"), [fsRead("/ws/a")], requires);
    expect(outside.refusals[0]?.reason).toBe("is outside what reach requires");
    const ceiling = { ceiling: { fs: { read: ["{workspace}/src/**"] } } };
    const above = await reach(fsRead("/ws/a"), [fsRead("/ws/src/**")], requires, ceiling);
    expect(above.refusals[0]?.reason).toBe("is outside the ceiling of this session");
    expect(above.grant?.ceilings).toMatchObject([{ fs: { read: ["/ws/src/**"] } }]);
    expect(above.grant?.requires).toMatchObject({ fs: { read: ["/ws/**"], write: ["/ws/out/**"] } });
  });

  test("[C67] a command is compared argument by argument", async () => {
    const shell = { shell: [{ cmd: "git" }] };
    const effects = [shellRun(["git", "status"])];
    expect((await reach(shellRun(["git", "status"]), effects, shell)).result.ok).toBe(true);
    expect((await reach(shellRun(["git", "push"]), effects, shell)).result.ok).toBe(false);
  });
});

describe("what rules deny on paths", () => {
  /** What is denied to the commands of one call, asked from within it. */
  async function deniedTo(options: Partial<Parameters<typeof createSession>[0]>) {
    let grant: Grant | undefined;
    const tool = defineTool({
      name: "reach",
      description: "Reaches for something.",
      inputSchema: { type: "object" },
      requires: {},
      execute: (_args, ctx) => {
        ctx.io;
        return "done";
      },
    });
    const grantIo: GrantIo = (given) => {
      grant = given;
      return fakeIo().grantIo(given);
    };
    const session = await createSession({ tools: [tool], grantIo, ...options });
    const call = () => session.call({ id: "c", name: "reach", arguments: {} });
    expect((await call()).ok).toBe(true);
    return { session, denied: (path: string) => grant?.pathDenies?.()?.at(path) };
  }

  const deny = (path: string) => [{ permission: "fs.read", pattern: path, action: "deny" as const }];

  test("is known to the I/O, of a child with what its parent denies", async () => {
    const parent = await deniedTo({ policy: [...ALLOW, ...deny("/ws/a")] });
    expect(parent.denied("/ws/a")).toEqual({ read: 'deny fs.read "/ws/a"' });
    const child = await deniedTo({
      policy: [...ALLOW, ...deny("/ws/b")],
      parent: parent.session.childContext("child"),
    });
    expect([child.denied("/ws/a"), child.denied("/ws/b"), child.denied("/ws/c")]).toEqual([
      { read: 'deny fs.read "/ws/a"' },
      { read: 'deny fs.read "/ws/b"' },
      undefined,
    ]);
  });

  test("is not known of an authorizer that does not say it", async () => {
    const authorizer = { decide: () => ({ action: "allow", layer: "default", matchedBy: "test" }) as const };
    expect((await deniedTo({ policy: authorizer })).denied("/ws/a")).toBeUndefined();
  });
});
