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
