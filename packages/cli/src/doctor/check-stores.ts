import { constants, existsSync, realpathSync } from "node:fs";
import { access } from "node:fs/promises";
import { directories } from "@toolkeep/node/internal";
import { openStore } from "@toolkeep/sqlite";
import { isPrivateFolder, runFolderOf, socketPathOf, socketState } from "../decider/run-folder.ts";
import { type Checked, type Finding, gap, note } from "./finding.ts";

/** Whether decisions can be recorded. What cannot be recorded is not decided. */
export async function checkStore(folder: string): Promise<Checked> {
  const about = "audit log";
  const reason = await openingError(folder);
  if (reason === undefined) return { facts: [{ about, text: folder }], findings: [] };
  const message = `The store in ${folder} cannot be written (${reason}), so every call is blocked.`;
  const fix = `Make ${folder} a folder that you can write, or set \`journal.folder\`.`;
  return {
    facts: [{ about, text: "cannot be written" }],
    findings: [gap({ code: "store_unwritable", about, who: "you", message, fix })],
  };
}

async function openingError(folder: string): Promise<string | undefined> {
  try {
    await openStore({ path: folder }).close();
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, "") : "unknown";
  }
}

/** Whether hooks can use a decider. Without one each hook decides by itself, and takes longer. */
export function checkDecider(): Checked {
  const about = "decider";
  if (process.platform === "win32") return { facts: [], findings: [] };
  const found = deciderError();
  if (found === undefined) return { facts: [{ about, text: "ready" }], findings: [] };
  const { code, message, fix } = found;
  return {
    facts: [{ about, text: "not used: each hook decides by itself, and takes longer" }],
    findings: [note({ code, about, who: "you", message, fix })],
  };
}

function deciderError(): Pick<Finding, "code" | "message" | "fix"> | undefined {
  if (process.env["TOOLKEEP_DECIDER"] === "off")
    return { code: "decider_off", message: "TOOLKEEP_DECIDER is set to off.", fix: "unset TOOLKEEP_DECIDER" };
  const folder = runFolderOf(process.env);
  const { state } = directories();
  if (folder === undefined)
    return {
      code: "decider_folder",
      message: `There is no folder for its socket in ${state}.`,
      fix: "Set TOOLKEEP_HOME to an absolute path.",
    };
  if (existsSync(folder) && !isPrivateFolder(folder))
    return {
      code: "decider_folder",
      message: `Other users can enter ${folder}, so no hook asks there.`,
      fix: `chmod 700 ${folder}`,
    };
  const path = socketPathOf({ folder, program: realpathSync(process.argv[1] ?? process.execPath) });
  if (path === undefined)
    return {
      code: "decider_folder",
      message: `The path ${folder} is too long for a socket.`,
      fix: "Set TOOLKEEP_HOME to a shorter path.",
    };
  if (socketState(path) === "foreign")
    return { code: "decider_socket", message: `${path} is not a socket of yours.`, fix: `rm ${path}` };
  return undefined;
}
