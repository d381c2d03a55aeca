import { describe, expect, it, test } from "vitest";
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

const CLOUD: ProgramEntry = {
  program: "cloud",
  source: [],
  otherwise: "cloud.write",
  options: { reads: "--config=", adds: { "--config=": "code.run", "--to=": "net.send" } },
  commands: {
    "* list|show": {
      does: "cloud.read",
      operands: "text",
      naming: { "file:* @*": "local.read" },
      options: { plain: "--*" },
    },
    "* delete": { does: "cloud.delete", options: { adds: { "--force": "db.drop" } } },
    "vault show": "secret.read",
    "vault open": "cloud.write",
  },
  examples: [],
};

const does = (line: string) => said(CLOUD, line);

test("what a pattern says holds for a word that says something else of its own", () => {
  expect(does("cloud vault list")).toBe("cloud.read");
  expect(does("cloud vault show")).toBe("secret.read");
  expect(does("cloud disk open")).toContain("?");
});

test("`--*` is any other long option, and not one that is known", () => {
  expect(does("cloud disk list --names a b --size=3")).toBe("cloud.read");
  expect(does("cloud disk list --to=x")).toBe("cloud.read net.send");
  expect(does("cloud disk list --conf x")).toContain("?");
  expect(does("cloud disk list -n a")).toContain("?");
});

test("an operand, or the value of any option, may add to what a command does", () => {
  expect(does("cloud disk list file:a")).toBe("cloud.read local.read");
  expect(does("cloud disk list --query=@a")).toBe("cloud.read local.read");
});

test("an option may be in several lists", () => {
  const reading = readByEntry(CLOUD, wordsOf("cloud disk list --config a"), () => undefined);
  expect([reading.does.join(" "), ...reading.reads]).toEqual(["cloud.read code.run", "a"]);
});

test("a flag with another value than true may still be set", () => {
  expect(does("cloud disk delete --force=T")).toContain("db.drop");
  expect(does("cloud disk delete --force=false")).toBe("cloud.delete cloud.write ?");
});

test("an address that is read is a request", () => {
  expect(does("cloud disk list --config https://example.com/a")).toContain("net.read");
});
