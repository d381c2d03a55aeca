import { CHANGING_TASKS } from "./changing-tasks.ts";
import { LOOKING_TASKS } from "./looking-tasks.ts";
import { RUNNING_TASKS } from "./running-tasks.ts";
import type { Task } from "./task.ts";

/** What a developer asks an agent for on an ordinary day. */
export const TASKS: readonly Task[] = [...LOOKING_TASKS, ...RUNNING_TASKS, ...CHANGING_TASKS];
