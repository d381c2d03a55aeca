import { diff } from "node:util";

/** The text of the fenced block below the HTML comment with these words; undefined if there is none. */
export function readBlock(page: string, comment: string): string | undefined {
  return blockPattern(comment).exec(page)?.[3];
}

/** The page with another text in the block below that comment. */
export function replaceBlock(page: string, block: { comment: string; text: string }): string {
  return page.replace(blockPattern(block.comment), (_all, openMount, _fence, _text, closing) =>
    [openMount, block.text, closing].join(""),
  );
}

/** What differs between two texts, `+` for lines of the actual one alone; empty if nothing does. */
export function differences(actual: string, expected: string): string {
  if (actual === expected) return "";
  const marks = { "-1": "-", "0": " ", "1": "+" };
  return diff(actual.split("\n"), expected.split("\n"))
    .map(([operation, line]) => `${marks[operation]} ${line}`)
    .join("\n");
}

function blockPattern(comment: string): RegExp {
  return new RegExp(`(<!-- ${RegExp.escape(comment)} -->\\s*\\n(\`{3,})\\w*\\n)((?:.*\\n)*?)(\\2)`);
}
