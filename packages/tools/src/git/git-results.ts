import type { GitCall } from "./git-commands.ts";

/** What the output of a git command says, as data; `undefined` where its text is the result. */
export function gitData({ action, name }: GitCall, output: string): object | undefined {
  if (action === "status") return statusIn(output);
  if (action === "log") return { commits: commitsIn(output) };
  if (action === "branch" && name === undefined) return { branches: branchesIn(output) };
  return undefined;
}

const UNIT = "\x1f";

function commitsIn(output: string): readonly object[] {
  return output
    .split("\x1e")
    .map((entry) => entry.trim().split(UNIT))
    .filter(({ length }) => length === 4)
    .map(([commit, author, date, subject]) => ({ commit, author, date, subject }));
}

function branchesIn(output: string): readonly object[] {
  const lines = output.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [head, name, commit, upstream] = line.split(UNIT);
    return { name, commit, isCurrent: head === "*", ...(upstream === "" ? {} : { upstream }) };
  });
}

/** The second version of git's own format for programs: entries end with NUL. */
function statusIn(output: string): object {
  const entries = output.split("\0");
  const files: object[] = [];
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] ?? "";
    const [, kind = ""] = /^([12u?!]) /.exec(entry) ?? [];
    if (kind === "?") files.push({ path: entry.slice(2), state: "untracked" });
    const before = FIELDS_BEFORE_PATH[kind];
    if (before === undefined) continue;
    const fields = entry.split(" ");
    const [staged = ".", changed = "."] = fields[1] ?? "";
    const path = fields.slice(before).join(" ");
    // A rename has its old path as the next entry.
    if (kind === "2") at += 1;
    const state = kind === "u" ? { state: "unmerged" } : {};
    const from = kind === "2" ? { from: entries[at] } : {};
    files.push({ path, ...state, ...from, ...stateOf("staged", staged), ...stateOf("changed", changed) });
  }
  const header = (name: string) => entries.find((one) => one.startsWith(`# branch.${name} `))?.split(" ");
  const [, , ahead, behind] = header("ab") ?? [];
  const counts = ahead === undefined ? {} : { ahead: Number(ahead), behind: -Number(behind) };
  return { branch: header("head")?.[2], ...counts, files };
}

const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10 };
const STATES: Readonly<Record<string, string>> = {
  ...{ M: "modified", A: "added", D: "deleted", R: "renamed", C: "copied", T: "another kind of file" },
};

function stateOf(which: string, letter: string): object {
  const state = STATES[letter];
  return state === undefined ? {} : { [which]: state };
}
