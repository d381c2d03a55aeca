/** Functions of the library that can take the square of the time, and ours with names of the same length. */
export const LINEAR_NAMES: Readonly<Record<string, string>> = {
  matches: "linearm",
  contains: "linearco",
};

const PIECE =
  /[rRbB]?(?:"""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\/\/[^\n]*|\w+|[^\w]/gsu;

/**
 * An expression that calls our functions in place of those of the library, which cannot be replaced there. Texts in
 * quotes stay as they are, and so do positions. That none is left is checked in the tree of the result.
 */
export function withLinearFunctions(text: string): string {
  let isMember = false;
  return text.replaceAll(PIECE, (piece, offset: number) => {
    const isCalled = isMember && /^\s*\(/.test(text.slice(offset + piece.length));
    const ours = isCalled && Object.hasOwn(LINEAR_NAMES, piece) ? LINEAR_NAMES[piece] : undefined;
    if (piece.trim() !== "") isMember = piece === ".";
    return ours ?? piece;
  });
}
