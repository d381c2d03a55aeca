import { markSession, sessionMarks } from "@toolkeep/core/internal";
import type { Explanation } from "@toolkeep/core/policy";
import { type EvaluatedCall, explanationOf } from "../hooks/decide/verdict/refused-calls.ts";
import { type SafeForm, safeFormOf } from "../hooks/decide/verdict/safe-form.ts";
import type { OpenedConversation } from "./opened-conversation.ts";
import type { ScannedProject } from "./scanned-project.ts";

/** What would let a call pass that does not. */
export interface Remedies {
  readonly form: SafeForm | undefined;
  readonly isAllowedIfTrusted: boolean;
}

interface Conversing {
  readonly scanned: ScannedProject;
  readonly opened: OpenedConversation;
  /** The same conversation in a project that the user trusts. */
  ifTrusted(): Promise<OpenedConversation>;
}

/** Whether another form of the call passes, and whether trust would let it pass. */
export async function remediesFor(
  one: EvaluatedCall,
  explained: Explanation,
  conversing: Conversing,
): Promise<Remedies> {
  return {
    form: await formOf(one, explained, conversing),
    isAllowedIfTrusted:
      explained.decision.action === "ask" && (await isTrustMissing(explained, one, conversing)),
  };
}

function formOf(
  one: EvaluatedCall,
  explained: Explanation,
  { opened, scanned }: Conversing,
): Promise<SafeForm | undefined> | undefined {
  if (one.tool !== "bash" && one.tool !== "grep") return undefined;
  const refused = { call: { ...one, tool: one.tool }, explained, root: scanned.project.root } as const;
  return safeFormOf(refused, (args) => explanationOf(opened.session, { ...one, arguments: args }));
}

/** Whether the call is allowed in the same state of the conversation once the user trusts the project. */
async function isTrustMissing(
  { decision }: Explanation,
  one: EvaluatedCall,
  deciding: Conversing,
): Promise<boolean> {
  const { isGone: isFolderGone, project } = deciding.scanned;
  const isOfRules = (decision.askedBy ?? []).every((asker) => asker === "rules");
  if (isFolderGone || project.isTrusted || !isOfRules) return false;
  const { session, registry } = await deciding.ifTrusted();
  const tool = deciding.opened.registry.get(one.tool);
  if (registry.get(one.tool) === undefined && tool !== undefined)
    registry.register(tool.tool, { origin: tool.origin });
  markSession(session, sessionMarks(deciding.opened.session));
  return (await explanationOf(session, one))?.decision.action === "allow";
}
