import type { AboutWords, Reading } from "./reading.ts";
import { proves, type ScriptKind } from "./scripts.ts";
import { openedAsSed } from "./sed-script.ts";
import { readStated, type Stated } from "./stated.ts";

/** Stands for what `find` has found. */
export const FOUND = "{}";

/** Devices, and what the system shows as files. */
const NO_FILE = /^\/(?:dev|proc|sys)(?:\/|$)/;
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

type Files = Pick<
  Reading,
  "reads" | "lists" | "writes" | "inside" | "deletes" | "moves" | "unproved" | "hosts"
>;

/** The files, hosts and statements that a command names, by what is done to them. */
export class NamedThings {
  readonly #reads: string[] = [];
  readonly #lists: string[] = [];
  readonly #writes: string[] = [];
  readonly #inside: string[] = [];
  readonly #deletes: string[] = [];
  readonly #moves: string[] = [];
  readonly #statements: string[] = [];
  readonly #databases: string[] = [];
  readonly #hosts: string[] = [];
  /** What follows from them. */
  readonly does: string[] = [];
  /** Those of which it is not known what is done to them. */
  readonly unclear: string[] = [];

  /** `kind` is what an operand is, or the meaning of an option. */
  add(kind: string, value: string): void {
    if (kind === "statements") this.#statements.push(value);
    else if (kind === "database") this.#databases.push(value);
    else if (kind === "hosts") this.#host(value);
    else if (kind === "sed" || kind === "awk" || kind === "jq") this.#script(kind, value);
    else if (kind === "jq?") {
      this.#script("jq", value);
      this.#reads.push(value);
    } else if (/^(?:text|none|commands|rest|copied|moved)$/.test(kind) || value === "-") return;
    else if (value === "/dev/null" && kind !== "deleted") return;
    else if (value.startsWith("|")) {
      // Clients of databases send what they would write to a command.
      this.does.push("code.run");
      this.unclear.push(value);
    } else if (kind === "written" || kind === "writes") {
      this.#writes.push(value);
      this.does.push("local.write");
    } else if (kind === "edited") this.#edited(value);
    else if (ADDRESS.test(value)) this.does.push("net.read");
    else if (kind === "deleted") this.#deletes.push(value);
    else if (kind === "removed") this.#moves.push(value);
    else if (kind === "listed") this.#lists.push(value);
    else this.#reads.push(value);
  }

  #script(kind: ScriptKind, script: string): void {
    if (!proves(kind, script)) this.unclear.push(script);
  }

  #host(address: string): void {
    this.#hosts.push(address);
    // By other protocols a program may open files, or say what it likes to a service.
    const isFile = /^file:/i.test(address);
    if (isFile || (ADDRESS.test(address) && !/^https?:/i.test(address))) this.unclear.push(address);
    if (isFile) this.#reads.push(address.replace(/^file:\/*/i, "/"));
  }

  #edited(file: string): void {
    const opened = openedAsSed(file);
    if (opened === undefined) this.unclear.push(file);
    this.#reads.push(file, ...(opened?.reads ?? []));
    this.#writes.push(file, ...(opened?.writes ?? []));
    this.does.push("local.write");
  }

  /** The last operand is the target. Files keep their names in a folder; what goes elsewhere than to a file is lost. */
  addCopied(kind: string | undefined, operands: readonly string[]): void {
    if ((kind !== "copied" && kind !== "moved") || operands.length === 0) return;
    const [target = "", ...sources] = operands.toReversed();
    this.#reads.push(...sources);
    const inside = sources.map((path) => `${withoutSlash(target)}/${withoutSlash(path).split("/").at(-1)}`);
    const isFolder = sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(target);
    this.#writes.push(target, ...(isFolder ? inside : []));
    if (!isFolder) this.#inside.push(...inside);
    if (kind === "moved") (NO_FILE.test(target) ? this.#deletes : this.#moves).push(...sources);
  }

  /** Where words are not known, any operand may be the target, and so may what stands in an option. */
  addPossible(kind: string | undefined, operands: readonly string[], unread: readonly string[]): void {
    if (kind !== "copied" && kind !== "moved") return;
    this.#reads.push(...operands);
    const values = unread.map((word) => word.replace(/^--[a-z-]+=|^-[a-z]/, ""));
    this.#writes.push(...operands, ...values.filter((value) => value !== ""));
    if (kind === "moved") this.#deletes.push(...operands);
  }

  /** The files of the commands that it runs. What stands for a file that it finds lies where it looks. */
  addInner(inner: readonly Reading[]): void {
    const named = (kind: "reads" | "lists" | "writes" | "deletes" | "moves") => {
      const files = inner.flatMap((one) => one[kind]);
      const isFound = files.some((file) => file.includes(FOUND));
      return { isFound, files: files.filter((file) => !file.includes(FOUND)) };
    };
    const places = this.#lists.length === 0 ? ["."] : [...this.#lists];
    const [written, deleted, moved] = [named("writes"), named("deletes"), named("moves")];
    const read = named("reads");
    const isWritten = written.isFound || (read.isFound && written.files.length > 0);
    if (isWritten || moved.isFound) this.unclear.push(FOUND);
    this.#reads.push(...read.files);
    this.#lists.push(...named("lists").files);
    this.#writes.push(...written.files);
    this.#inside.push(...inner.flatMap(({ inside }) => inside).filter((file) => !file.includes(FOUND)));
    this.#deletes.push(...deleted.files, ...(deleted.isFound ? places : []));
    this.#moves.push(...moved.files);
    this.#hosts.push(...inner.flatMap(({ hosts }) => hosts));
  }

  /** What its statements do. */
  stated(dialect: string | undefined, about: AboutWords): Stated {
    return readStated(this.#statements, this.#databases, { ...about, dialect });
  }

  /** Statements of what it runs, here or elsewhere, are its own. */
  files(stated: Stated, inner: readonly (Reading | undefined)[]): Files {
    return {
      reads: [...this.#reads, ...stated.reads],
      lists: this.#lists,
      writes: [...this.#writes, ...stated.writes],
      inside: this.#inside,
      deletes: this.#deletes,
      moves: this.#moves,
      unproved: [...stated.unproved, ...inner.flatMap((one) => one?.unproved ?? [])],
      hosts: this.#hosts,
    };
  }
}

function withoutSlash(path: string): string {
  return path.replace(/(?<!\/)\/+$/, "");
}
