import type { WaitingRequest } from "@toolkeep/core";
import { ApproverKeys, visible } from "@toolkeep/core/internal";
import type { Approvers } from "@toolkeep/core/policy";
import { withStore } from "../project/store/with-store.ts";
import { EXIT, type ExitCode } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { findRequest, requestRecord, requestRows } from "./pending-requests.ts";

/** Shows one request as a whole, who must approve it, and who has signed. */
export async function showRequest(
  id: string,
  { approvers, terminal }: { readonly approvers: Approvers; readonly terminal: Terminal },
): Promise<ExitCode> {
  const { found, pending, signed } = await withStore(terminal.cwd, async (store) => {
    const all = await store.waiting();
    const one = findRequest(id, all);
    const [turn = "", ...rest] = one.request.id.split("/");
    const names: string[] = [];
    for await (const event of store.events(one.sessionId, { turn, types: ["approval-sign"] }))
      if (event.type === "approval-sign" && event.id === rest.join("/"))
        names.push(event.signed.statement.approver);
    return { found: one, pending: all, signed: names };
  });
  const states = needStates(found, signed, approvers);
  terminal.show(
    {
      ...requestRecord(found, pending),
      ...(states.length === 0 ? {} : { needs: states }),
      request: found.request,
    },
    [...requestRows(found, pending), ...states.map(stateLine)],
  );
  return EXIT.ok;
}

/** A need of a request, and who has signed for it. The session verified the signatures when it took them. */
interface NeedState {
  readonly group: string;
  readonly count: number;
  readonly signed: readonly string[];
}

function needStates(
  { request }: WaitingRequest,
  signed: readonly string[],
  approvers: Approvers,
): readonly NeedState[] {
  if (!("needs" in request) || request.needs === undefined) return [];
  const counted = new ApproverKeys(approvers).counted(request.needs, signed, request.principal.user);
  return counted.map(({ group, count, by }) => ({ group, count, signed: by }));
}

function stateLine({ group, count, signed }: NeedState): string {
  const who = signed.length === 0 ? "" : `: ${signed.map((name) => visible(name)).join(", ")}`;
  return `  signed by ${signed.length} of ${count} of the group ${visible(group)}${who}`;
}
