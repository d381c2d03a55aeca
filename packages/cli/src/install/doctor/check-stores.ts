import { constants, existsSync, realpathSync } from "node:fs";
import { access } from "node:fs/promises";
import { connect } from "node:net";
import { joinCommand } from "@toolkeep/core/internal";
import { directories } from "@toolkeep/node/internal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { FrameReader, frameOf } from "../../hooks/decider/frames.ts";
import { MOST_REPLY_BYTES, PROTOCOL } from "../../hooks/decider/protocol.ts";
import {
  isPrivateFolder,
  runFolderOf,
  socketPathOf,
  socketState,
  stampOf,
  viewOfProcess,
} from "../../hooks/decider/run-folder.ts";
import { type Checked, type Finding, NOTHING, part } from "./finding.ts";

/** Whether decisions can be recorded. What cannot be recorded is not decided. */
export async function checkStore(folder: string): Promise<Checked> {
  const { is, gap } = part("audit log");
  const reason = await openingError(folder);
  if (reason === undefined) return is(folder);
  const message = `The store in ${folder} cannot be written (${reason}), so every call is blocked.`;
  const fix = `Make ${folder} a folder that you can write, or set \`journal.folder\`.`;
  return is("cannot be written", gap("store_unwritable", message, fix));
}

async function openingError(folder: string): Promise<string | undefined> {
  try {
    await openSqliteStore({ path: folder }).close();
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, "") : "unknown";
  }
}

const decider = part("decider");

/** Whether hooks can use a decider. Without one each hook decides by itself, and takes longer. */
export async function checkDecider(): Promise<Checked> {
  if (process.platform === "win32") return NOTHING;
  const found = deciderError() ?? (await deciderElsewhere());
  if (found === undefined) return decider.is("ready");
  return decider.is("not used: each hook decides by itself, and takes longer", found);
}

const ANSWER_MS = 2_000;

/** Whether a decider runs that does not decide for this process. Without one, the next hook starts it. */
async function deciderElsewhere(): Promise<Finding | undefined> {
  const folder = runFolderOf(process.env);
  const program = realpathSync(process.argv[1] ?? process.execPath);
  const path = folder === undefined ? undefined : socketPathOf({ folder, program });
  if (path === undefined || socketState(path) !== "ours") return undefined;
  // Without a call in it, this is refused in any case. The reason says why a hook from here would be.
  const asked = { protocol: PROTOCOL, program: stampOf(program), view: viewOfProcess() };
  const reason = await refusalFrom(path, asked);
  if (reason === undefined || reason === "request") return undefined;
  const message =
    reason === "files"
      ? "It runs in another mount namespace, or with other groups, so hooks from here decide by themselves."
      : "Its socket is there and gives no answer, so hooks decide by themselves until it is replaced.";
  return decider.note("decider_elsewhere", message, joinCommand(["rm", path]));
}

function refusalFrom(path: string, asked: object): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const reader = new FrameReader(MOST_REPLY_BYTES);
    const done = (reason: string | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason);
    };
    const timer = setTimeout(() => done("silent"), ANSWER_MS);
    // A socket that nothing listens on is replaced by the next hook.
    socket.on("error", () => done(undefined)).on("close", () => done("silent"));
    socket.on("data", (piece: Buffer) => {
      const [reply] = reader.push(piece) as readonly { readonly reason?: string }[];
      if (reply !== undefined) done(reply.reason);
    });
    socket.write(frameOf(asked));
  });
}

function deciderError(): Finding | undefined {
  const { note } = decider;
  if (process.env["TOOLKEEP_DECIDER"] === "off")
    return note("decider_off", "TOOLKEEP_DECIDER is set to off.", "unset TOOLKEEP_DECIDER");
  const folder = runFolderOf(process.env);
  const { state } = directories();
  const atFolder = (message: string, fix: string) => note("decider_folder", message, fix);
  if (folder === undefined)
    return atFolder(
      `There is no folder for its socket in ${state}.`,
      "Set TOOLKEEP_HOME to an absolute path.",
    );
  if (existsSync(folder) && !isPrivateFolder(folder))
    return atFolder(`Other users can enter ${folder}, so no hook asks there.`, `chmod 700 ${folder}`);
  const path = socketPathOf({ folder, program: realpathSync(process.argv[1] ?? process.execPath) });
  if (path === undefined)
    return atFolder(`The path ${folder} is too long for a socket.`, "Set TOOLKEEP_HOME to a shorter path.");
  if (socketState(path) === "foreign")
    return note("decider_socket", `${path} is not a socket of yours.`, `rm ${path}`);
  return undefined;
}
