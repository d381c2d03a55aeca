import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AttackStage } from "./attack-stage.ts";
import type { SandboxedRun } from "./run-sandboxed.ts";

/** What must hold after one attack, in addition to what must hold after all of them. Returns what does not. */
export type AttackCheck = (run: SandboxedRun, stage: AttackStage) => string | undefined;

const fails: AttackCheck = ({ exitCode, output }) =>
  exitCode === 0 ? `it came to its end without being refused: ${output.slice(0, 200)}` : undefined;

const anyEnd: AttackCheck = () => undefined;

const says =
  (pattern: RegExp): AttackCheck =>
  ({ output }) =>
    pattern.test(output) ? undefined : `it does not say ${pattern}: ${output.slice(0, 200)}`;

const neverSays =
  (pattern: RegExp): AttackCheck =>
  ({ output }) =>
    pattern.test(output) ? `it says ${pattern}` : undefined;

const isTakenAway =
  (path: string): AttackCheck =>
  ({ complaint }, { workspace }) => {
    if (existsSync(join(workspace, path))) return `${path} is still there`;
    return complaint?.includes(path) === true ? undefined : `no message names ${path}`;
  };

export const ATTACK_CHECKS: Readonly<Record<string, AttackCheck>> = {
  X001: fails,
  X002: fails,
  X003: fails,
  X004: fails,
  X005: says(/^x$/m),
  X006: anyEnd,
  X007: neverSays(/\w=/),
  X008: says(/^[1-6]$/m),
  X009: fails,
  X010: fails,
  X011: fails,
  X012: fails,
  X013: fails,
  X014: fails,
  X015: fails,
  X016: fails,
  X017: says(/No such file/),
  X018: fails,
  X019: fails,
  X020: fails,
  X021: fails,
  X022: fails,
  X023: fails,
  X024: fails,
  X025: fails,
  X026: anyEnd,
  X027: fails,
  X028: says(/started/),
  X029: fails,
  X030: says(/Too many open files/),
  X031: says(/MemoryError/),
  // It runs until it is ended; that nothing of it is left is checked for all of them.
  X032: ({ exitCode }) => (exitCode === null ? undefined : `it came to an end of its own, with ${exitCode}`),
  X033: fails,
  X034: neverSays(/ (?:[4-9]|\d\d+) -> /),
  X035: anyEnd,
  X036: anyEnd,
  X037: anyEnd,
  X038: says(/busy|Read-only/),
  X039: says(/Read-only|Permission denied|No such file/),
  X040: neverSays(/WRITABLE/),
  L019: fails,
  L020: fails,
  C030: isTakenAway(".git"),
  C031: isTakenAway("a/b/c/d/e/.git"),
};

const complainsOf =
  (pattern: RegExp): AttackCheck =>
  ({ complaint = "" }) =>
    pattern.test(complaint) ? undefined : `no message says ${pattern}: ${complaint}`;

/** In a place there is something to be reached in the stead of what is not, which tells who reaches for it. */
export const CHECKS_IN_PLACE: Readonly<Record<string, AttackCheck>> = {
  X002: complainsOf(/id_rsa/),
  X020: complainsOf(/127\.0\.0\.1:\d+/),
};
