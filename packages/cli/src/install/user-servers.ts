import { homedir } from "node:os";
import { join } from "node:path";
import { readServers } from "@toolkeep/mcp/internal";
import { userServersFile } from "../project/user-files.ts";

/** Notes about servers that clients start in all projects, without the gateway. Changes and starts nothing. */
export async function userServerNotes(project: string): Promise<readonly string[]> {
  const own = userServersFile();
  const { servers } = await readServers({ project, home: homedir(), files: [codeFile()] });
  const ofUser = servers.filter(({ isOfProject, file }) => !isOfProject && file !== own);
  return [...Map.groupBy(ofUser, ({ file }) => file)].map(([file, all]) => {
    const names = all.map(({ name }) => name).join(", ");
    return `${file} has servers of yours that are not behind the gateway: ${names}. For a project alone, name them in a file of the project and run \`toolkeep init\`.`;
  });
}

/** Where VS Code keeps the servers for all projects. */
function codeFile(): string {
  const folder = process.platform === "darwin" ? ["Library", "Application Support"] : [".config"];
  return join(homedir(), ...folder, "Code", "User", "mcp.json");
}
