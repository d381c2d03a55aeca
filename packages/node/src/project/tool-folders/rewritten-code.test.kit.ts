import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { newFolder, putFile } from "../../../../../tests/temporary-folder.ts";
import { bubblewrapSandbox } from "../../sandbox/bubblewrap/bubblewrap.ts";
import { runLine } from "../../sandbox/testing/sandboxed-workspace.test.kit.ts";
import { createProjectTrust, type TrustRequest } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import {
  fieldsOf,
  namesIn,
  type ProjectOnDisk,
  projectOnDisk,
  toolText,
} from "./project-on-disk.test.kit.ts";

/** To be run in a jail: sandboxed commands put code where a tool of the project would run it. */
export const REWRITE_CODE = import.meta.filename;

interface RewrittenCode {
  readonly exitCode?: number | null;
  readonly asked: readonly string[];
  /** Whether the code ran in this process. */
  readonly ran: boolean;
  readonly names: readonly string[];
  readonly untrusted?: string;
}

export interface RewrittenCodes {
  readonly imported: RewrittenCode;
  readonly guarded: RewrittenCode;
  readonly unlisted: RewrittenCode;
}

const RAN = "/tmp/it-ran";
const PLANTED = `process.getBuiltinModule("node:fs").writeFileSync("${RAN}", "");`;

if (process.argv[1] === REWRITE_CODE) {
  const imported = await rewriteImport("leave it open");
  const guarded = await rewriteImport("guard it");
  console.log(JSON.stringify({ imported, guarded, unlisted: await addUnlisted() } satisfies RewrittenCodes));
}

function opened(disk: ProjectOnDisk) {
  const asked: string[] = [];
  const decide = ({ why, things }: TrustRequest) => {
    asked.push([why, ...things].join(" "));
    return asked.length === 1 ? ("trust" as const) : ("decline" as const);
  };
  const trust = createProjectTrust({ store: trustStore(join(disk.top, "trust.json")), decide });
  return { asked, ...disk.open("trust", { trust, userFolder: false }) };
}

async function rewriteImport(how: "leave it open" | "guard it"): Promise<RewrittenCode> {
  const disk = projectOnDisk(newFolder());
  putFile(join(disk.project, "src/lib.ts"), `export const word = "one";`);
  const tool = `export default defineTool({ ${fieldsOf("a")}, execute: () => word });`;
  const imports = `import { defineTool } from "@toolkeep/core"; import { word } from "../../src/lib.ts";`;
  putFile(disk.tool("a.ts"), `${imports} ${tool}`);
  const { asked, source, registry } = opened(disk);
  await source.enter(disk.project);
  const { exitCode } = await runLine(
    bubblewrapSandbox({ protection: { quarantine: join(disk.top, "quarantine") } }),
    `echo '${PLANTED} export const word = "two";' > src/lib.ts`,
    {
      ...{ read: [], write: [disk.project], hidden: [], hosts: [], cwd: disk.project },
      guarded: how === "guard it" ? source.imports : [],
      environment: { PATH: "/usr/bin:/bin" },
    },
  );
  const { untrusted } = await source.reload();
  return {
    ...{ exitCode, asked, ran: existsSync(RAN), names: namesIn(registry) },
    ...(untrusted === undefined ? {} : { untrusted }),
  };
}

/** A folder that may be entered and not be listed. */
async function addUnlisted(): Promise<RewrittenCode> {
  const disk = projectOnDisk(newFolder());
  putFile(disk.tool("a.ts"), toolText("a"));
  chmodSync(join(disk.project, ".toolkeep"), 0o311);
  const { asked, source, registry } = opened(disk);
  const { untrusted } = await source.enter(disk.project);
  putFile(disk.tool("evil.ts"), `${toolText("evil")} ${PLANTED}`);
  await source.reload();
  return {
    ...{ asked, ran: existsSync(RAN), names: namesIn(registry) },
    ...(untrusted === undefined ? {} : { untrusted }),
  };
}
