import { readdirSync, readFileSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { Facts } from "./facts.ts";

/** Where a step ran. */
export interface Place {
  readonly home: string;
  readonly project: string;
}

/** A Python file that runs is told by a try to open its path beneath this one. */
export const PYTHON_MARK = "/ran-by-python";

/** System calls that tell what a step does. */
export const TRACED =
  "%process,chdir,open,openat,creat,unlink,unlinkat,rmdir,mkdir,mkdirat,rename,renameat,renameat2,connect,kill";

const EXECUTED = /^execve\("([^"]*)", \[(.*?)\], .*\) = 0$/;
const ENTERED = /^chdir\("([^"]*)"\) = 0$/;
const STARTED = /^(?:clone3?|v?fork)\(.* = (\d+)/;
const OPENED =
  /^(?:open|openat|creat)\((?:AT_FDCWD<([^>]*)>, |\d+<([^>]*)>, )?"([^"]*)", ([A-Z_|]+).*\) = (-?\d+)(.*)$/;
const MADE = /^mkdir(?:at)?\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)".*\) = 0$/;
const REMOVED = /^(?:unlink|unlinkat|rmdir)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)".*\) = 0$/;
const RENAMED = /^rename\w*\(.*?(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"(?:, RENAME_\w+)?\) = 0$/;
const CONNECTED = /^connect\(.*sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?"([0-9a-f.:]+)"/;
const KILLED = /^kill\(\d+, SIG(?:TERM|KILL|INT|HUP|QUIT)\)/;

const SHELL = /^(?:ba|da|z)?sh$/;
const INTERPRETER = /^(?:python[\d.]*|node|perl|ruby|(?:ba|da|z)?sh)$/;
const GIVEN = /^(?:-[a-z]*[ce]|--eval|-)$/;
/** What a program runs when it reads it. Python tells by itself. */
const CODE: Readonly<Record<string, RegExp>> = { make: /^(?:GNU)?[Mm]akefile$/, node: /\.[cm]?[jt]s$/ };
const DATABASES = /^(?:sqlite3|psql|mysql|redis-cli)$/;
const BUILT = /^\/tmp\/go-build/;
/** Packages in the project are not its own code. */
const INSTALLED = /^(?:\.venv|.*node_modules)\//;
/** What git and Python keep for themselves. */
const BY_THE_WAY = /^\.git\/|\.pyc\.\d+$/;
const PRIVATE = /^(?!$|\.gitconfig|\.config\/git|\.cache\/|go\/)/;
const TEMPORARY = /^\/(?:tmp|dev|proc)\b/;

/** What is known of a process while its system calls are read. */
interface Process {
  readonly program: string;
  readonly cwd: string;
}

/** Reads what `strace -ff -y` wrote of one step: a file for each process. */
export function readTrace(folder: string, place: Place): Facts {
  const seen = new Seen(place);
  const processes = new Map<string, Process>();
  const pids = readdirSync(folder)
    .filter((file) => file.startsWith("trace."))
    .map((file) => file.slice("trace.".length))
    .toSorted((a, b) => Number(a) - Number(b));
  for (const pid of pids) {
    let process = processes.get(pid) ?? { program: "", cwd: place.project };
    for (const line of readFileSync(join(folder, `trace.${pid}`), "utf8").split("\n")) {
      process = afterLine(line, process, seen);
      const [, child] = STARTED.exec(line) ?? [];
      if (child !== undefined) processes.set(child, process);
    }
  }
  return seen.facts();
}

function afterLine(line: string, process: Process, seen: Seen): Process {
  const { program, cwd } = process;
  const [, path, args = ""] = EXECUTED.exec(line) ?? [];
  if (path !== undefined) {
    seen.execute(resolve(cwd, path), { args: wordsOf(args).slice(1), starter: program, cwd });
    return { program: basename(path), cwd };
  }
  const [, entered] = ENTERED.exec(line) ?? [];
  if (entered !== undefined) return { program, cwd: resolve(cwd, entered) };
  seen.note(line, program);
  return process;
}

/** A place outside of the project, without the names of single files in the home. */
function shortened(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1).replace(/\/.*/, "")}` : path;
}

function wordsOf(list: string): readonly string[] {
  return Array.from(list.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = ""]) => word);
}

/** How a program is started: by which one, and where. */
interface Started {
  readonly args: readonly string[];
  readonly starter: string;
  readonly cwd: string;
}

class Seen {
  readonly #place: Place;
  readonly #ran = new Set<string>();
  readonly #made = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #wroteOutside = new Set<string>();
  readonly #readOutside = new Set<string>();
  readonly #contacted = new Set<"here" | "away">();
  #ranGiven = false;
  #ended = false;
  #queried = false;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Code that a shell gives to an interpreter is part of the line; other programs start shells for themselves. */
  execute(path: string, { args, starter, cwd }: Started): void {
    const program = basename(path);
    const isInterpreter = INTERPRETER.test(program);
    const isGiven = isInterpreter && args.some((word) => GIVEN.test(word));
    const script = args.find((word) => !word.startsWith("-"));
    if (!isInterpreter) this.#run(path);
    if (BUILT.test(path)) this.#ran.add("a program that was built from the project");
    if (isGiven && SHELL.test(starter)) this.#ranGiven = true;
    if (!isGiven && SHELL.test(program) && script !== undefined && !args.includes("-n"))
      this.#run(resolve(cwd, script));
    if (DATABASES.test(program)) this.#queried = true;
  }

  note(line: string, program: string): void {
    this.#noteOpened(line, program);
    const [, madeIn = "", made] = MADE.exec(line) ?? [];
    if (made !== undefined) this.#make(this.#absolute(made, madeIn));
    const [, removedIn = "", removed] = REMOVED.exec(line) ?? [];
    if (removed !== undefined) this.#remove(this.#absolute(removed, removedIn));
    const [, renamedIn = "", renamed] = RENAMED.exec(line) ?? [];
    if (renamed !== undefined) this.#write(this.#absolute(renamed, renamedIn));
    const [, port, address] = CONNECTED.exec(line) ?? [];
    if (address !== undefined)
      this.#contacted.add(port !== "53" && /^(?:127\.|::1$|0\.0\.0\.0$)/.test(address) ? "here" : "away");
    if (KILLED.test(line)) this.#ended = true;
  }

  facts(): Facts {
    const listed = <Item>(name: keyof Facts, items: ReadonlySet<Item>) =>
      items.size === 0 ? {} : { [name]: [...items].toSorted() };
    return {
      ...listed("ran", this.#ran),
      ...(this.#ranGiven ? { ranGiven: true } : {}),
      ...listed("deleted", this.#deleted),
      ...listed("changed", this.#changed.difference(this.#made)),
      ...listed("wroteOutside", this.#wroteOutside),
      ...listed("readOutside", this.#readOutside),
      ...listed("contacted", this.#contacted),
      ...(this.#ended ? { ended: true } : {}),
      ...(this.#queried ? { queried: true } : {}),
    };
  }

  #noteOpened(line: string, program: string): void {
    const [, cwd, folder, name, flags = "", result, to = ""] = OPENED.exec(line) ?? [];
    if (name === undefined) return;
    if (name.startsWith(PYTHON_MARK)) this.#run(name.slice(PYTHON_MARK.length));
    const path = /^<([^>]*)>/.exec(to)?.[1] ?? this.#absolute(name, cwd ?? folder ?? "");
    if (/O_WRONLY|O_RDWR|O_CREAT/.test(flags)) {
      if (flags.includes("O_EXCL")) this.#make(path);
      this.#write(path);
    } else if (Number(result) >= 0) this.#read(path, program);
  }

  #read(path: string, program: string): void {
    if (CODE[program]?.test(basename(path)) === true) this.#run(path);
    const inHome = this.#own(path) === undefined ? this.#beneath(path, this.#place.home) : undefined;
    if (inHome !== undefined && PRIVATE.test(inHome)) this.#readOutside.add(inHome.replace(/\/.*/, ""));
  }

  #run(path: string): void {
    const own = this.#own(this.#absolute(path, ""));
    if (own !== undefined && !INSTALLED.test(own)) this.#ran.add(own);
  }

  #write(path: string): void {
    const own = this.#own(path);
    if (own !== undefined) {
      if (!BY_THE_WAY.test(own)) this.#changed.add(own);
    } else if (!TEMPORARY.test(path)) this.#wroteOutside.add(shortened(path, this.#place.home));
  }

  #make(path: string): void {
    const own = this.#own(path);
    if (own !== undefined) this.#made.add(own);
  }

  #remove(path: string): void {
    const own = this.#own(path);
    if (own !== undefined && !BY_THE_WAY.test(own) && !this.#made.has(own)) this.#deleted.add(own);
  }

  #own(path: string): string | undefined {
    return this.#beneath(path, this.#place.project);
  }

  #beneath(path: string, folder: string): string | undefined {
    const absolute = this.#absolute(path, "");
    return `${absolute}/`.startsWith(`${folder}/`) ? absolute.slice(folder.length + 1) : undefined;
  }

  #absolute(path: string, folder: string): string {
    return isAbsolute(path) ? resolve(path) : resolve(folder === "" ? this.#place.project : folder, path);
  }
}
