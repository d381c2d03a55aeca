import { PROGRAM_KINDS, SENDING_COMMANDS, wordsIn } from "@toolkeep/catalog/internal";
import { programOf } from "../../commands/meaning/command-args.ts";
import { classOfCommand } from "../../commands/meaning/command-class.ts";
import { DELETES_ABOVE, overreachOf } from "../../commands/meaning/overreaching-commands.ts";
import { senderIn } from "../../commands/meaning/sending-commands.ts";
import { joinCommand, splitCommand } from "../../contract/call/effect.ts";
import type { Objection, PolicyContext, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";
import { isWithin } from "../../contract/values/path-within.ts";
import { classOfTarget } from "../../file-names/name-class.ts";
import { remembered } from "../../file-names/remembered.ts";
import { watchdog } from "./verdict.ts";

/** What one effect shows: a reason to object, or a part of what several effects do together. */
interface Part {
  readonly reason?: string;
  readonly opensSecret?: true;
  readonly sends?: true;
  readonly isShell?: true;
  readonly isSocket?: true;
}

const NOTHING: Part = Object.freeze({});

/**
 * Objects to what no task needs, whatever the rules allow: to delete or open up a root directory, to
 * become another user, to change the machine itself, to give a shell or a secret to another machine.
 */
export function overreach(objection: Objection = "deny"): Watchdog {
  return watchdog("overreach", objection, reasonAgainst);
}

function reasonAgainst({ effects }: PolicyCall, { roots }: PolicyContext): string | undefined {
  let opensSecret = false;
  let sends = false;
  let isShell = false;
  let isSocket = false;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as CanonicalEffect;
    if (deletesAbove(effect, roots)) return DELETES_ABOVE;
    const part = partOf(effect);
    if (part === NOTHING) continue;
    if (part.reason !== undefined) return part.reason;
    opensSecret ||= part.opensSecret === true;
    sends ||= part.sends === true;
    isShell ||= part.isShell === true;
    isSocket ||= part.isSocket === true;
  }
  if (isShell && isSocket) return "It hands a shell of this machine to another one.";
  return opensSecret && sends
    ? "It opens what may hold secrets and sends something away, in one."
    : undefined;
}

/** A folder with the workspace in it, or the home folder. */
function deletesAbove({ capability, target, forced }: CanonicalEffect, roots: readonly string[]): boolean {
  if (capability !== "fs.delete") return false;
  return forced === true || roots.some((root) => root !== target && isWithin(root, target));
}

function partOf({ capability, target }: CanonicalEffect): Part {
  if (capability === "shell.run") return partOfCommand(target);
  if (!capability.startsWith("fs.")) return NOTHING;
  if (target.startsWith("/dev/tcp/") || target.startsWith("/dev/udp/")) return SOCKET;
  return capability === "fs.read" && classOfTarget(target).isSecret ? SECRET : NOTHING;
}

const SOCKET: Part = Object.freeze({ isSocket: true });
const SECRET: Part = Object.freeze({ opensSecret: true });

const partOfCommand = remembered<Part>((target) => {
  const argv = splitCommand(target);
  const reason = overreachOf(argv);
  if (reason !== undefined) return { reason };
  const { secret, printsEnvironment } = classOfCommand(joinCommand(withoutIdentity(argv)));
  const sender = senderIn(argv);
  const part: Part = {
    ...(secret !== undefined || printsEnvironment ? { opensSecret: true } : {}),
    ...(sender !== undefined && !PUBLISHERS.has(sender) ? { sends: true } : {}),
    ...(isShell(argv) ? { isShell: true } : {}),
  };
  return Object.keys(part).length === 0 ? NOTHING : part;
});

/** They send what they packed themselves, and need a credential for it. */
const PUBLISHERS = wordsIn(SENDING_COMMANDS.publishers);

/** A key that is used to log in stays where it is. */
const IDENTITY = /^(?:-i|-E|--cert|--key|--cacert|--netrc-file)$/;

function withoutIdentity(argv: readonly string[]): readonly string[] {
  return argv.filter((_word, index) => index === 0 || !IDENTITY.test(argv[index - 1] ?? ""));
}

const SHELLS = wordsIn(PROGRAM_KINDS.shells);

/** An interactive one. */
function isShell(argv: readonly string[]): boolean {
  return SHELLS.has(programOf(argv)) && argv.some((word) => /^-[a-z]*i/.test(word));
}
