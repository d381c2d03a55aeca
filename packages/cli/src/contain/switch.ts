import { CLIENTS, INSTALL_CLIENTS } from "../clients/install-client.ts";
import { InstallRecords } from "../clients/installed/install-record.ts";
import { setContaining } from "../project/contain/contained-projects.ts";
import type { Project } from "../project/read-project.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Without these, a command would be refused each time, and nothing would be won. */
const NEEDED = new Set(["contain_root", "contain_mount", "contain_place", "contain_layer", "contain_undo"]);

/** Takes effect with the next command. @throws CommandError if the administrator requires containment. */
export async function switchOff({ root, config }: Project): Promise<void> {
  if (config.contain === "require")
    throw new CommandError("Your administrator requires containment.", { exit: EXIT.denied });
  await setContaining(root, false);
}

/** Has commands of a project contained from now on. @throws CommandError where that is forbidden or does not work. */
export async function switchOn({ root, config }: Project, terminal: Terminal): Promise<void> {
  if (config.contain === "forbid")
    throw new CommandError("Your administrator forbids containment.", { exit: EXIT.denied });
  terminal.note("Proving containment in a project that is thrown away…");
  const { checkContainment } = await import("../install/doctor/check-containment.ts");
  const { findings } = await checkContainment(root);
  const found = findings.find(({ code }) => NEEDED.has(code));
  if (found !== undefined)
    throw new CommandError(`Containment does not work here, so it stays off. ${found.message}`, {
      hint: `${found.fix}\nThen run \`toolkeep contain on\`.`,
    });
  for (const { message, fix } of findings) terminal.note(`${message} > ${fix}`);
  if (config.contain === undefined) await setContaining(root, true);
  const records = new InstallRecords(root);
  const installed = INSTALL_CLIENTS.filter((client) => CLIENTS[client].canConfine === true).map((client) =>
    records.read(client).catch(() => undefined),
  );
  if ((await Promise.all(installed)).every((record) => record === undefined))
    terminal.note("No client whose commands can be contained is installed here yet: `toolkeep init CLIENT`.");
}
