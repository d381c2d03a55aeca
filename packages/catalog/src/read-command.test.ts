import { describe, expect, it, test } from "vitest";
import type { ProgramEntry } from "./entry.ts";
import { wordsOf } from "./plain-words.ts";
import { readByEntry } from "./read-command.ts";
import type { Reading } from "./reading.ts";

/** Reads a line by an entry that is made here; `~` before a word says that a shell expands it. */
function read(entry: Partial<ProgramEntry>, line: string): Reading {
  const given = wordsOf(line);
  const expands = given.flatMap((word, index) => (word.startsWith("~") ? [index] : []));
  const argv = given.map((word) => word.replace(/^~/, ""));
  const whole = { program: "x", source: [], otherwise: "code.run", examples: [], ...entry };
  return readByEntry(whole, { argv, expands }, () => undefined);
}

const UNPACKER: Partial<ProgramEntry> = {
  style: "letters",
  options: { plain: "-zv" },
  with: {
    "-t --list": { does: "local.read", operands: "text", options: { reads: "-f: --file=" } },
    "-c": { does: "local.write", operands: "files", options: { writes: "-f: --file=" } },
  },
};

it.each([
  ["x -t -f a.tar", ["a.tar"], []],
  ["x tzf a.tar b", ["a.tar"], []],
  ["x --file=a.tar --list", ["a.tar"], []],
  ["x cvf a.tar b", ["b"], ["a.tar"]],
  ["x -czf a.tar b", ["b"], ["a.tar"]],
])("an option may say what the others and the operands are: %s", (line, reads, writes) => {
  const reading = read(UNPACKER, line);
  expect(reading.isWhole).toBe(true);
  expect([reading.reads, reading.writes]).toEqual([reads, writes]);
});

it("is open where none of the options is there that say what it does", () => {
  expect(read(UNPACKER, "x zf a.tar")).toMatchObject({ isWhole: false, does: ["code.run"] });
});

const SEARCH: Partial<ProgramEntry> = {
  does: "local.read",
  operands: "text files",
  options: { plain: "-n --include=", first: "-e: --regexp=", runs: "--pre=" },
};

it("takes a value instead of the first operand", () => {
  expect(read(SEARCH, "x -n a b").reads).toEqual(["b"]);
  expect(read(SEARCH, "x b -e a").reads).toEqual(["b"]);
  expect(read(SEARCH, "x --regexp=a b c").reads).toEqual(["b", "c"]);
});

it.each([
  ["x -n a ~src/*.ts", true],
  ["x -n a ~*.ts", false],
  ["x -n a -- ~*.ts", true],
  ["x -n ~a* b", false],
  ["x --include=~*.ts a b", true],
  ["x ~--{include,pre}=b a", false],
  ["x -e ~a* b", false],
])("knows that a pattern may become several words, or an option: %s", (line, isWhole) => {
  const argv = wordsOf(line);
  const written = argv.map((word) => (word.includes("=~") ? `~${word.replace("~", "")}` : word)).join(" ");
  expect(read(SEARCH, written).isWhole).toBe(isWhole);
});

it("knows an option by its value", () => {
  const entry: Partial<ProgramEntry> = {
    does: "net.read",
    operands: "hosts",
    options: { plain: "-X=GET --request=GET -H:", adds: { "-X: --request= -H=@*": "net.send" } },
  };
  expect(read(entry, "x -X GET a")).toMatchObject({ isWhole: true, does: ["net.read"], hosts: ["a"] });
  expect(read(entry, "x -XGET --request GET a").does).toEqual(["net.read"]);
  expect(read(entry, "x --request=POST a").does).toEqual(["net.read", "net.send"]);
  expect(read(entry, "x -H@f a").does).toEqual(["net.read", "net.send"]);
  expect(read(entry, "x -H a:b a").does).toEqual(["net.read"]);
});

it("does not know the other values of an option of which it knows some", () => {
  const entry: Partial<ProgramEntry> = { does: "local.read", options: { plain: "--dry-run=client -o=json" } };
  expect(read(entry, "x --dry-run=client -o json").isWhole).toBe(true);
  expect(read(entry, "x --dry-run=none").isWhole).toBe(false);
  expect(read(entry, "x -o jsonpath").isWhole).toBe(false);
});

it("takes words without a dash as options where the entry says so", () => {
  const entry: Partial<ProgramEntry> = {
    does: "local.write",
    operands: "none",
    options: { plain: "bs= !", reads: "if=", writes: "of=" },
  };
  expect(read(entry, "x if=a of=b bs=1M !")).toMatchObject({ isWhole: true, reads: ["a"], writes: ["b"] });
  expect(read(entry, "x cbs=1").isWhole).toBe(false);
});

it("takes every word as text where there are no options", () => {
  expect(read({ style: "text", does: "nothing", operands: "text" }, "x -n --rm -- a").isWhole).toBe(true);
});

it("does not take the name of a file for a question about the program", () => {
  expect(read({ does: "local.delete", operands: "deleted" }, "x version").deletes).toEqual(["version"]);
  expect(read({ commands: { a: "code.run" } }, "x version").does).toEqual([]);
});

function said(entry: Partial<ProgramEntry>, line: string): string {
  const { does, isWhole } = read(entry, line);
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

  it("has options after which all words are another command", () => {
    const entry = { does: "code.run", options: { plain: "-u", rest: "-m" } };
    const given = { argv: wordsOf("frob -u -m list -x a"), expands: [] };
    const whole = { program: "frob", source: [], otherwise: "code.run", examples: [], ...entry };
    expect(readByEntry(whole, given, () => undefined).runs).toEqual([["list", "-x", "a"]]);
    expect(said(entry, "frob -mlist a")).toBe("code.run ?");
  });

  it("tells whether a program loads something to tell its version", () => {
    expect(said({}, "frob --version")).toBe("");
    expect(said({ options: { makes: { "--version": "project.load" } } }, "frob --version")).toBe(
      "project.load",
    );
  });

  it("takes no option after a subcommand for a question about the program", () => {
    const entry = {
      options: { makes: { "-v --version": "nothing", "--help": "nothing" } },
      commands: { deploy: { does: "cloud.write", operands: "text" } },
    };
    expect(said(entry, "frob -v")).toBe("");
    expect(said(entry, "frob deploy --version v2")).toBe("cloud.write code.run ?");
    expect(said(entry, "frob deploy --help")).toBe("");
  });

  it("finds destroying subcommands by all of their words where others are not known", () => {
    const entry = { commands: { "volume rm": "container.delete", ls: "container.read" } };
    expect(said(entry, "frob --host x volume rm data")).toBe("code.run container.delete ?");
    expect(said(entry, "frob --host x ls rm")).toBe("code.run ?");
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
  const reading = read(CLOUD, "cloud disk list --config a");
  expect([reading.does.join(" "), ...reading.reads]).toEqual(["cloud.read code.run", "a"]);
});

test("a flag with another value than true may still be set", () => {
  expect(does("cloud disk delete --force=T")).toContain("db.drop");
  expect(does("cloud disk delete --force=false")).toBe("cloud.delete cloud.write ?");
});

test("an address that is read is a request", () => {
  expect(does("cloud disk list --config https://example.com/a")).toContain("net.read");
});

describe("a command that runs another", () => {
  const FINDER: Partial<ProgramEntry> = {
    style: "words",
    does: "local.read",
    operands: "listed",
    options: { plain: "-name=", commands: "-exec" },
  };
  const INNER: ProgramEntry = {
    program: "inner",
    source: [],
    otherwise: "code.run",
    does: "local.read",
    operands: "files",
    options: { plain: "-n" },
    with: {
      "-w": { does: "local.write", operands: "written" },
      "-d": { does: "local.delete", operands: "deleted" },
      "-c": { does: "local.write", operands: "copied" },
    },
    examples: [],
  };
  const outer = (line: string, entry = FINDER): Reading =>
    readByEntry(
      { program: "x", source: [], otherwise: "code.run", examples: [], ...entry },
      { argv: wordsOf(line), expands: [] },
      (command) => readByEntry(INNER, command, () => undefined),
    );

  it("opens the files that the other names", () => {
    expect(outer("x src -exec inner a {} ;")).toMatchObject({ isWhole: true, reads: ["a"], lists: ["src"] });
    expect(outer("x src -exec inner -w a ;").writes).toEqual(["a"]);
  });

  it("does not know what is written among the files that are found", () => {
    expect(outer("x src -exec inner -w {} ;").isWhole).toBe(false);
    expect(outer("x src -exec inner -c {} out ;").isWhole).toBe(false);
    expect(outer("x src -exec inner -w ;").isWhole).toBe(false);
  });

  it("deletes where it looks", () => {
    expect(outer("x src -exec inner -d {} ;").deletes).toEqual(["src"]);
    expect(outer("x -exec inner -d ;").deletes).toEqual(["."]);
  });

  it("gives the other what it is fed", () => {
    const fed: Partial<ProgramEntry> = { does: "nothing", operands: "fed" };
    expect(outer("x inner", fed)).toMatchObject({ isWhole: true, does: ["local.read"] });
    expect(outer("x inner -d", fed).deletes).toEqual(["."]);
    expect(outer("x inner -w", fed).isWhole).toBe(false);
  });
});

it("knows no protocol but those of the web", () => {
  const entry: Partial<ProgramEntry> = { does: "net.read", operands: "hosts" };
  expect(read(entry, "x https://example.com").isWhole).toBe(true);
  expect(read(entry, "x FILE:///etc/passwd")).toMatchObject({ isWhole: false, reads: ["/etc/passwd"] });
  expect(read(entry, "x gopher://example.com").isWhole).toBe(false);
});

it("takes a word for a program or for a file where it may be both", () => {
  expect(read({ does: "local.read", operands: "jq? files" }, "x .env").reads).toEqual([".env"]);
});

it("takes a file that stands for one that is not named", () => {
  const entry: Partial<ProgramEntry> = {
    does: "local.read",
    operands: "listed",
    default: ".",
    with: { "-d": { does: "local.delete", operands: "deleted" } },
  };
  expect(read(entry, "x").lists).toEqual(["."]);
  expect(read(entry, "x a").lists).toEqual(["a"]);
  expect(read(entry, "x -d").deletes).toEqual(["."]);
  const search: Partial<ProgramEntry> = { does: "local.read", operands: "text files", default: "." };
  expect(read(search, "x a").reads).toEqual(["."]);
  expect(read(search, "x a b").reads).toEqual(["b"]);
});

it("tells a filter from what looks at files", () => {
  const entry: Partial<ProgramEntry> = {
    filter: true,
    does: "nothing",
    operands: "text files",
    options: { plain: "-n", first: "-e: -f:", reads: "-f:", writes: "-o:" },
  };
  for (const line of ["x -n a", "x -e a", "x a -", "x a -o /dev/null"])
    expect(read(entry, line)).toMatchObject({ isFilter: true, does: [] });
  expect(read(entry, "x a b")).toMatchObject({ isFilter: false, does: ["local.read"], reads: ["b"] });
  expect(read(entry, "x -f a")).toMatchObject({ isFilter: false, reads: ["a"] });
  for (const line of ["x -o b a", "x -q a"]) expect(read(entry, line).isFilter).toBe(false);
});
