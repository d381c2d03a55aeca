import { dirname } from "node:path";
import { clientCalled } from "./clients.ts";

/*
 * Plays a client in its own process, within the jail, and prints what came of it as the last line.
 */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

const [name = "", program = "", what, mode] = process.argv.slice(2);
process.env["PATH"] = `${dirname(process.execPath)}:/usr/bin:/bin`;

// It builds the program when it is loaded.
const { measureClient } = await import("./measure-client.ts");
const { recordConversation } = await import("./record-conversation.ts");
const client = clientCalled(name);
const seen =
  what === "record"
    ? await recordConversation(client, program)
    : await measureClient(client, {
        ...{ program, quick: what === "quick" },
        ...(mode === undefined ? {} : { mode }),
      });
process.stdout.write(`${JSON.stringify(seen)}\n`);
// The decider of this home may still be there.
process.exit(0);
