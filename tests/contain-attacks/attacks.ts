import type { ContainAttack } from "./attack.ts";
import { COMMIT_ATTACKS, UNDO_ATTACKS } from "./commit-attacks.ts";
import { GIT_ATTACKS } from "./git-attacks.ts";
import { LAYER_ATTACKS } from "./layer-attacks.ts";
import { HOLDER_ATTACKS, NETWORK_ATTACKS } from "./place-attacks.ts";

export const CONTAIN_ATTACKS: readonly ContainAttack[] = [
  ...LAYER_ATTACKS,
  ...GIT_ATTACKS,
  ...COMMIT_ATTACKS,
  ...UNDO_ATTACKS,
  ...HOLDER_ATTACKS,
  ...NETWORK_ATTACKS,
];
