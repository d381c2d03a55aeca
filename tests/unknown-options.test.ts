import { fromAiSdk, govern, toAiSdk } from "@toolkeep/ai";
import { createRegistry, createSession, defineTool, memoryStore } from "@toolkeep/core";
import { createApprovalQueue, openGateway, serveMcp } from "@toolkeep/mcp";
import { bubblewrapSandbox, openSandbox, openWorkspace, terminalApprover } from "@toolkeep/node";
import { openApiTools } from "@toolkeep/openapi";
import { openSqliteStore } from "@toolkeep/sqlite";
import { standardTools } from "@toolkeep/tools";
import { tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";

const SPEC = {
  name: "pay",
  description: "Pays.",
  inputSchema: { type: "object" },
  requires: {},
  execute: () => "paid",
} as const;
const TOOLS = { pay: tool({ inputSchema: z.object({}), execute: () => "paid" }) };
const session = () => createSession();

/** Each with an option that was misspelled, which may have been meant to forbid something. */
const MISTAKES: Readonly<Record<string, () => unknown>> = {
  "defineTool: efects": () => defineTool({ ...SPEC, efects: () => [] } as never),
  "defineTool requires: fss": () => defineTool({ ...SPEC, requires: { fss: {} } as never }),
  "createSession: aprover": () => createSession({ aprover: 1 } as never),
  "createSession limits: timeout": () => createSession({ limits: { timeout: 1 } as never }),
  "createRegistry: confg": () => createRegistry({ confg: {} } as never),
  "memoryStore: keepByte": () => memoryStore({ keepByte: 1 } as never),
  "openStore: durabilty": () => openSqliteStore({ path: "/nowhere", durabilty: "full" } as never),
  "govern: aprovals": () => govern(TOOLS, { aprovals: {} } as never),
  "govern tools: pya": () => govern(TOOLS, { tools: { pya: {} } as never }),
  "govern tools.pay: efects": () => govern(TOOLS, { tools: { pay: { efects: () => [] } as never } }),
  "govern approvals: verfy": () => govern(TOOLS, { approvals: { verfy: () => true } as never }),
  "fromAiSdk tools: pya": () => fromAiSdk(TOOLS, { tools: { pya: {} } }),
  "toAiSdk approvals: verfy": async () => toAiSdk(await session(), { approvals: { verfy: 1 } as never }),
  "serveMcp: aprovalSecret": async () =>
    serveMcp(await session(), { queue: createApprovalQueue(), aprovalSecret: "x" } as never),
  "openGateway: consnt": () => openGateway({ servers: {}, open: session, consnt: 1 } as never),
  "openApiTools: prefx": () => openApiTools({ document: {}, prefx: "a" } as never),
  "bubblewrap: temporaryByte": () => bubblewrapSandbox({ temporaryByte: 1 } as never),
  "bubblewrap protection: quarantin": () => bubblewrapSandbox({ protection: { quarantin: "/x" } as never }),
  "openSandbox: atleast": () => openSandbox({ atleast: "files" } as never),
  "openWorkspace: guard": () => openWorkspace({ roots: ["."], guard: () => [] } as never),
  "terminalApprover: inputs": () => terminalApprover({ inputs: 1 } as never),
  "standardTools: bsh": () => standardTools({ bsh: {} } as never),
};

test.each(Object.entries(MISTAKES))(
  "an option that does not exist is refused by name: %s",
  async (name, make) => {
    const wrong = name.slice(name.indexOf(": ") + 2);
    await expect(async () => make()).rejects.toThrow(new RegExp(`Unknown .*"${wrong}"|no option "${wrong}"`));
  },
);
