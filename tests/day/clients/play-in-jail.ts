import { dirname } from "node:path";
import { clientCalled } from "./clients.ts";

/*
 * Plays a client in its own process, within the jail, and prints what came of it as the last line.
 */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

const [name = "", program = "", isQuick, mode] = process.argv.slice(2);
process.env["PATH"] = `${dirname(process.execPath)}:/usr/bin:/bin`;

// It builds the program when it is loaded.
const { measureClient } = await import("./measure-client.ts");
const part = await measureClient(clientCalled(name), {
  ...{ program, quick: isQuick === "quick" },
  ...(mode === undefined ? {} : { mode }),
});
process.stdout.write(`${JSON.stringify(part)}\n`);
// The decider of this home may still be there.
process.exit(0);
