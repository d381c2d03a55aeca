import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/*
 * A hook of a client that is played without a terminal, where an `ask` ends the client. It answers as the hook of
 * Toolkeep does, except that it takes a question to the person itself: a yes leaves the call to the client, a no
 * denies it. Arguments: the file with the person's address, and the command line of the hook.
 */

const [addressFile = "", program = "", ...args] = process.argv.slice(2);
const { stdout, stderr, status } = spawnSync(program, args, { input: readFileSync(0), encoding: "utf8" });
if (status !== 0) {
  process.stderr.write(stderr);
  process.exit(2);
}
const answer = JSON.parse(stdout);
process.stdout.write(answer.decision === "ask" ? await afterQuestion(String(answer.reason)) : stdout);

async function afterQuestion(body: string): Promise<string> {
  const response = await fetch(readFileSync(addressFile, "utf8"), { method: "POST", body });
  const isYes = (await response.text()) === "yes";
  return JSON.stringify(isYes ? {} : { decision: "deny", reason: "The user said no." });
}
