/** The variables of conditions. */
export const VARIABLES = [
  ...["args", "tool", "effect", "user", "groups", "tenant", "agent", "role", "environment", "now"],
] as const;
export const EFFECT_FIELDS = ["capability", "target", "forced", "known"];
export const FUNCTIONS = ["has", "size", "int", "double", "string", "timestamp", "duration", "rate"];
export const QUANTIFIERS = ["all", "exists", "exists_one"];
export const TIMES = ["hour", "time", "weekday", "date"];
export const METHODS = [
  ...["startsWith", "endsWith", "contains", "matches", "size", "lowerAscii", "upperAscii", "trim"],
  ...QUANTIFIERS,
  ...TIMES,
];

export const INSTEAD: Readonly<Record<string, string>> = {
  getHours: 'Write `now.hour("Europe/Berlin")`.',
  getMinutes: 'Write `now.time("Europe/Berlin")`, which is like "09:30".',
  getDayOfWeek: 'Write `now.weekday("Europe/Berlin")`, which is "mon", "tue", …',
  getDate: 'Write `now.date("Europe/Berlin")`, which is like "2026-11-16".',
};
