let lastTime = 0;
let lastText = "0";

/** A time in whole milliseconds as text. Many are written in the same millisecond, and large numbers are slow to print. */
export function timeText(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTime = milliseconds;
    lastText = String(milliseconds);
  }
  return lastText;
}

let lastQuoted = "";
let lastQuotedText = '""';

/** A text as JSON. The same id is often written twice in a row. */
export function quotedText(text: string): string {
  if (text !== lastQuoted) {
    lastQuoted = text;
    lastQuotedText = JSON.stringify(text);
  }
  return lastQuotedText;
}
