/** Whether names one after the other are what a pattern stands for; `**` is any number of them. */
export function coversNames(pattern: readonly string[], names: readonly string[]): boolean {
  // Greedy, with one way back: to the last `**`. One at the end stands for what is in a folder, not for the folder.
  let at = 0;
  let index = 0;
  let folders = -1;
  let resume = 0;
  while (index < names.length) {
    const part = pattern[at];
    if (part === "**") {
      folders = at;
      resume = index;
      at += 1;
    } else if (part !== undefined && coversName(part, names[index] as string)) {
      at += 1;
      index += 1;
    } else if (folders >= 0) {
      resume += 1;
      index = resume;
      at = folders + 1;
    } else return false;
  }
  return at === pattern.length;
}

/** Whether something in a folder could be what a pattern stands for. */
export function mayLeadTo(pattern: readonly string[], folder: readonly string[]): boolean {
  for (const [index, name] of folder.entries()) {
    const part = pattern[index];
    if (part === "**") return true;
    if (part === undefined || index === pattern.length - 1 || !coversName(part, name)) return false;
  }
  return true;
}

/** Whether a name is what a pattern without slashes stands for. */
export function coversName(pattern: string, name: string): boolean {
  // Greedy, with one way back: to the last `*`.
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < name.length) {
    const step = pattern[at] === "*" ? 0 : coversCharacter(pattern, at, name[index] as string);
    if (step === 0) {
      star = at;
      resume = index;
      at += 1;
    } else if (step > 0) {
      at += step;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** How far the pattern goes on when it covers the character at a place; -1 when it does not. */
function coversCharacter(pattern: string, at: number, character: string): number {
  const wanted = pattern[at];
  if (wanted === undefined) return -1;
  if (wanted === "?") return 1;
  if (wanted === "\\" && at + 1 < pattern.length) return pattern[at + 1] === character ? 2 : -1;
  const end = wanted === "[" ? pattern.indexOf("]", at + 2) : -1;
  if (end === -1) return wanted === character ? 1 : -1;
  const isNegated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
  const isIn = inClass(pattern.slice(at + (isNegated ? 2 : 1), end), character);
  return isIn !== isNegated ? end - at + 1 : -1;
}

function inClass(members: string, character: string): boolean {
  for (let index = 0; index < members.length; index += 1) {
    const isRange = members[index + 1] === "-" && index + 2 < members.length;
    const [from, to] = [members[index] as string, isRange ? (members[index + 2] as string) : members[index]];
    if (character >= from && character <= (to as string)) return true;
    if (isRange) index += 2;
  }
  return false;
}
