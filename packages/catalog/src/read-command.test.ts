import { describe, expect, it } from "vitest";
import type { ProgramEntry } from "./entry.ts";
import { wordsOf } from "./example-words.test.kit.ts";
import { readByEntry } from "./read-command.ts";

function said(entry: Partial<ProgramEntry>, line: string): string {
  const whole = { program: "frob", source: [], otherwise: "code.run", examples: [], ...entry };
  const { does, isWhole } = readByEntry(whole, wordsOf(line), () => undefined);
  return [...does, ...(isWhole ? [] : ["?"])].join(" ");
}

describe("the notation of entries", () => {
  it("has options that stand before the subcommand only", () => {
    const entry = {
      before: { plain: "-C:" },
      commands: {
        copy: { does: "local.read", operands: "text", options: { makes: { "-C": "local.write" } } },
      },
    };
    expect(said(entry, "frob -C folder copy a")).toBe("local.read");
    expect(said(entry, "frob copy -C a")).toBe("local.write");
    expect(said({ ...entry, commands: { copy: "local.read" } }, "frob copy -C")).toBe(
      "local.read code.run ?",
    );
  });

  it("tells what a command does without operands", () => {
    const entry = { commands: { tag: { does: "vcs.write", alone: "vcs.read", operands: "text" } } };
    expect(said(entry, "frob tag")).toBe("vcs.read");
    expect(said(entry, "frob tag v1")).toBe("vcs.write");
  });

  it("takes the value of an option into account, however it is written", () => {
    const entry = {
      does: "net.read",
      options: { makes: { "-X: --method=": "net.send", "-X=GET --method=GET": "net.read" } },
    };
    for (const line of ["-X GET", "-XGET", "--method GET", "--method=GET"])
      expect(said(entry, `frob ${line}`)).toBe("net.read");
    for (const line of ["-X PUT", "-XPUT", "--method PUT", "--method=PUT"])
      expect(said(entry, `frob ${line}`)).toBe("net.send");
  });

  it("writes an option and its opposite as one", () => {
    const entry = { does: "local.read", options: { plain: "--[no-]color=" } };
    expect(said(entry, "frob --color always --no-color")).toBe("local.read");
  });

  it("lets the end of options change what is meant", () => {
    const entry = { does: "vcs.write", operands: "text", options: { makes: { "--": "vcs.discard" } } };
    expect(said(entry, "frob a")).toBe("vcs.write");
    expect(said(entry, "frob -- a")).toBe("vcs.discard");
  });
});
