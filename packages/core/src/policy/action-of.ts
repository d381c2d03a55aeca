import type { PolicyCall } from "../contract/call.ts";

/** The action that was chosen, for a tool that has several: rules may name it as `tool.action`. */
export function actionOf({ found, args }: PolicyCall): string | undefined {
  const { actionArgument } = found.tool;
  if (actionArgument === undefined) return undefined;
  const chosen = args[actionArgument];
  return typeof chosen === "string" ? chosen : undefined;
}
