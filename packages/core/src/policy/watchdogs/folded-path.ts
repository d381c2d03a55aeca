const PLAIN = /^[ -~]*$/;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/**
 * The names in a path as the most forgiving file system reads them: without regard to case, to
 * characters that nobody sees, to dots and spaces at the end, to the streams of a file.
 */
export function foldedSegments(path: string): readonly string[] {
  const folded = PLAIN.test(path) ? path.toLowerCase() : foldLetters(path);
  return folded
    .split(/[/\\]/)
    .map(withoutTail)
    .filter((segment) => segment !== "");
}

/** There and back, because some letters fold in one direction alone. */
function foldLetters(path: string): string {
  return path.replaceAll(UNSEEN, "").normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

function withoutTail(segment: string): string {
  const stream = segment.indexOf(":");
  let end = stream > 0 ? stream : segment.length;
  while (end > 0 && (segment[end - 1] === "." || segment[end - 1] === " ")) end -= 1;
  return segment.slice(0, end);
}
