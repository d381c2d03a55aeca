/** `toolkeep gateway --http` in a process of its own, or with `stdio` the one without `--http`, with the administrator's configuration at a path of the test. */

import { readProject } from "../../packages/cli/src/project/read-project.ts";
import { servedOverHttp } from "../../packages/cli/src/run/gateway/serve-over-http.ts";
import { startGateway } from "../../packages/cli/src/run/gateway/start-gateway.ts";
import { openTerminal } from "../../packages/cli/src/terminal/terminal.ts";
import { chooseServers } from "../../packages/cli/src/tools/servers/choose-servers.ts";

const [managed = "", over = "http"] = process.argv.slice(2);
const terminal = openTerminal({ json: over === "http" });
const project = await readProject({ cwd: process.cwd() }, { managed });
const serve = servedOverHttp({ port: 0 }, project);
const chosen = await chooseServers(project.root);
const onNote = (note: string) => terminal.note(note);
const { gateway, close } = await startGateway(project, { chosen, grants: [], onNote });
await gateway.started;
if (over === "http") await serve(gateway, terminal);
else gateway.serveStdio();
process.once("SIGTERM", () => {
  close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
