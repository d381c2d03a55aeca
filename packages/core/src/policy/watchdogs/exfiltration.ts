import {
  changesRemote,
  encodes,
  isRemotePath,
  isTellingHost,
  isWatched,
  reachesOut,
  senderIn,
} from "../../commands/meaning/sending-commands.ts";
import { splitCommand } from "../../contract/call/effect.ts";
import type { Objection, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";
import { remembered } from "../../file-names/remembered.ts";
import { quoted, watchdog } from "./verdict.ts";

/** What one effect shows: a reason to object, or a part of what several effects do together. */
interface Shape {
  readonly reason?: string;
  readonly encodes?: true;
  readonly reachesOut?: true;
}

const NOTHING: Shape = Object.freeze({});

/** Objects to what looks like sending data away: by program and option, by the name of a host. */
export function exfiltration(objection: Objection = "ask"): Watchdog {
  return watchdog("exfiltration", objection, reasonAgainst);
}

function reasonAgainst({ effects }: PolicyCall): string | undefined {
  let hasEncoded = false;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as CanonicalEffect;
    const shape = shapeOf(effect);
    if (shape.reason !== undefined) return shape.reason;
    if (hasEncoded && shape.reachesOut) return "What was encoded may be sent away.";
    hasEncoded ||= shape.encodes === true;
  }
  return undefined;
}

function shapeOf({ capability, target }: CanonicalEffect): Shape {
  if (capability.startsWith("fs."))
    return target.startsWith("/dev/") && SOCKET.test(target) ? OPENS_SOCKET : NOTHING;
  if (capability === "shell.run") return shapeOfCommand(target);
  if (capability.startsWith("shell.")) return shapeOfLine(target);
  if (capability === "net.fetch") return shapeOfHost(target);
  return capability === "git.push" ? shapeOfPush(target) : NOTHING;
}

const SOCKET = /\/dev\/(?:tcp|udp)\//;
const OPENS_SOCKET: Shape = Object.freeze({ reason: "It opens a connection through the shell." });

const shapeOfHost = remembered<Shape>((host) =>
  isTellingHost(host) ? { reason: `The host ${quoted(host)} looks as if its name carries data.` } : NOTHING,
);

const shapeOfPush = remembered<Shape>((target) =>
  isRemotePath(target)
    ? { reason: `It pushes to ${quoted(target)}, which is no remote of the repository.` }
    : NOTHING,
);

const shapeOfCommand = remembered<Shape>((target) => {
  if (SOCKET.test(target)) return OPENS_SOCKET;
  const argv = splitCommand(target);
  const sender = senderIn(argv);
  if (sender !== undefined) return { reason: sends(sender) };
  if (changesRemote(argv)) return { reason: "It gives the repository another place to push to." };
  return {
    ...(encodes(argv) ? { encodes: true } : {}),
    ...(reachesOut(argv) ? { reachesOut: true } : {}),
  };
});

const BETWEEN_COMMANDS = /[|;&\n()`]+/;
const MOST_WATCHED = 100;

/** What the line runs cannot be determined, so every word may be the program. */
const shapeOfLine = remembered<Shape>((line) => {
  if (SOCKET.test(line)) return OPENS_SOCKET;
  const commands = line
    .replaceAll(/["'\\]/g, "")
    .split(BETWEEN_COMMANDS)
    .map((command) => command.split(/\s+/).filter((word) => word !== ""));
  const beginnings = commands.flatMap((words) =>
    words.flatMap((word, index) => (isWatched(word) ? [words.slice(index)] : [])),
  );
  if (beginnings.length > MOST_WATCHED) return { reason: "The line is too long to be looked through." };
  for (const words of beginnings) {
    const sender = senderIn(words);
    if (sender !== undefined) return { reason: sends(sender) };
  }
  const isEncoded = beginnings.some(encodes) && beginnings.some(reachesOut);
  return isEncoded ? { reason: "What was encoded may be sent away." } : NOTHING;
});

function sends(program: string): string {
  return `In this form \`${program}\` can send data to another machine.`;
}
