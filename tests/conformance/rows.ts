import type { Row } from "./row.ts";
import { ADDED_ROWS } from "./rows-added.ts";
import { AUTHORITY_ROWS } from "./rows-authority.ts";
import { CONTRACT_ROWS } from "./rows-contract.ts";
import { DELEGATION_ROWS } from "./rows-delegation.ts";
import { EXECUTION_ROWS } from "./rows-execution.ts";
import { RESULT_ROWS } from "./rows-results.ts";
import { TOOL_ROWS } from "./rows-tools.ts";

/** Every requirement, in the order of its number. */
export const ROWS: readonly Row[] = Object.freeze([
  ...CONTRACT_ROWS,
  ...RESULT_ROWS,
  ...TOOL_ROWS,
  ...AUTHORITY_ROWS,
  ...EXECUTION_ROWS,
  ...DELEGATION_ROWS,
  ...ADDED_ROWS,
]);
