import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  effect,
  fsDelete,
  fsRead,
  fsWrite,
  joinCommand,
  netFetch,
  shellRun,
  splitCommand,
} from "../../contract/call/effect.ts";
import { compileRequirements, unionOf } from "./requirements.ts";

describe("requirements", () => {
  test("[C63][C64][C65] variables are expanded; one without a value matches nothing; an unknown one is a mistake", () => {
    const requires = { fs: { read: ["{workspace}/**"], write: ["{workspace}/{src,test}/**"] } };
    const here = compileRequirements(requires, { workspace: ["/a", "/b"] });
    expect(here.covers(fsRead("/b/x"))).toBe(true);
    expect(here.covers(fsWrite("/a/src/x"))).toBe(true);
    expect(here.covers(fsWrite("/a/docs/x"))).toBe(false);
    const nowhere = compileRequirements(requires, {});
    expect(nowhere.covers(fsRead("/a/x"))).toBe(false);
    expect(nowhere.effects).toEqual([]);
    expect(() => compileRequirements({ fs: { read: ["{workspce}/**"] } }, {})).toThrow(/workspce/);
  });

  test("[C61] a tool covers all that it is taken to do: paths, hosts, commands, capabilities by name", () => {
    const requires = {
      fs: { read: ["/r/**"], write: ["/w/{a,b}/*"] },
      net: { hosts: ["*.example"] },
      shell: [{ cmd: "git", args: ["log", { prefix: "--" }, { wildcard: true as const }] }, { cmd: "ls" }],
      capabilities: ["calendar.update"],
    };
    const { effects, covers } = compileRequirements(requires, {});
    expect(effects.length).toBeGreaterThan(5);
    for (const one of effects) expect(covers(one)).toBe(true);
    expect(covers(netFetch("a.example"))).toBe(true);
    expect(covers(shellRun(["git", "log", "--oneline", "x"]))).toBe(true);
    expect(covers(shellRun(["git", "push"]))).toBe(false);
    expect(covers(shellRun(["git", "log", "--a b"]))).toBe(false);
    expect(covers(effect("calendar.update", "x"))).toBe(true);
    expect(covers(effect("calendar.delete", "x"))).toBe(false);
  });

  test("a command line is split into exactly the arguments it was made from", () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (argv) => {
        expect(splitCommand(joinCommand(argv))).toEqual(argv);
      }),
    );
  });

  test("[C62] arguments of a command are matched in order: exactly, by prefix, or as any one", () => {
    const args = ["run", { prefix: "test:" }, { wildcard: true as const }];
    const { covers } = compileRequirements({ shell: [{ cmd: "npm", args }] }, {});
    const evaluated = [
      ["npm", "run", "test:unit", "x"],
      ["npm", "run", "lint", "x"],
      ["npm", "test:unit", "run", "x"],
      ["npm", "run", "test:unit"],
      ["npm", "run", "test:unit", "x", "y"],
    ].map((argv) => covers(shellRun(argv)));
    expect(evaluated).toEqual([true, false, false, false, false]);
  });

  test("[C63] the workspace may have several roots, and files may be handed over one by one", () => {
    const requires = { fs: { read: ["{workspace}/**", "{ad-hoc}", "{user-data}/notes/*", "{tmp}/**"] } };
    const { covers } = compileRequirements(requires, {
      workspace: ["/ws", "/extra"],
      "ad-hoc": ["/tmp/report.pdf"],
      "user-data": ["/home/me/.local/share/toolkeep"],
      tmp: ["/scratch"],
    });
    const paths = ["/ws/a", "/extra/b", "/tmp/report.pdf", "/home/me/.local/share/toolkeep/notes/x"];
    expect([...paths, "/scratch/x"].map((path) => covers(fsRead(path)))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(["/tmp/other", "/home/me/x"].map((path) => covers(fsRead(path)))).toEqual([false, false]);
  });

  test("[C66] an agent needs what its manifest and its tools need together; a tool more needs no second entry", () => {
    const manifest = { fs: { read: ["/ws/**"] }, shell: [{ cmd: "git" }] };
    const fetcher = { net: { hosts: ["api.example"] }, fs: { read: ["/ws/**"] } };
    expect(unionOf([manifest]).net?.hosts).toEqual([]);
    const together = unionOf([manifest, fetcher, "unknown"]);
    expect(together).toEqual({
      fs: { read: ["/ws/**"], write: [] },
      env: [],
      net: { hosts: ["api.example"] },
      shell: [{ cmd: "git" }],
      capabilities: [],
    });
    const { covers } = compileRequirements(together, {});
    expect([netFetch("api.example"), shellRun(["git", "log"]), fsDelete("/ws/a")].map(covers)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
