import { isRunner } from "../is-runner.ts";
import type { StdioServer } from "../server-entry.ts";
import { packageOf, type StartedPackage } from "./package-of.ts";

/** Where the code of a server comes from, for the person who accepts it. */
export function codeSource(entry: StdioServer): string {
  const { cwd: _cwd, ...plain } = entry;
  const started = packageOf(plain);
  const isRelative = /^[^/~$]+\//.test(entry.command);
  const local = isRelative ? entry.command : [entry.command, ...entry.args].find(isLocal);
  if (started === undefined && local !== undefined)
    return `files next to the configuration: ${local}. Whatever changes them changes the server.`;
  if (started === undefined)
    return isRunner(entry)
      ? `a package that ${entry.command} chooses by these arguments.`
      : `whatever ${entry.command} loads by these arguments, also from the folder that it is started in.`;
  const given = local === undefined ? "" : ` It is given ${local} of the project.`;
  return `${nameOf(entry, started)}.${given}`;
}

function nameOf(entry: StdioServer, started: StartedPackage): string {
  const [, kind = "", name = ""] = /^(\w+):(.*)$/s.exec(started.source) ?? [];
  const version = started.version === undefined ? "any version" : `version ${started.version}`;
  if (kind === "npm") return `the npm registry of your settings, package ${name}, ${version}`;
  if (kind === "image") return `the container image ${name}`;
  if (kind === "program")
    return `the program ${name} on your search path, and whatever it loads from the folder that it is started in`;
  return entry.args[0] === "-m"
    ? `the Python module ${entry.args[1]}, as ${entry.command} has it installed`
    : `the Python index of your settings, package ${name}, ${version}`;
}

/** A word that names a file of the project: by a relative path, a variable for it, or the ending of a script. */
function isLocal(word: string): boolean {
  if (/\$\{\w*(?:workspace|project|PWD)\w*/i.test(word)) return true;
  const path = word.replace(/^--?[\w-]+=/, "");
  if (/^(?:[-@/~]|[a-z][a-z+]*:)/i.test(path)) return false;
  return /^\.{1,2}(?:\/|$)|\.(?:[cm]?[jt]sx?|py|rb|sh|php|jar|pl|lua)$/.test(path);
}
