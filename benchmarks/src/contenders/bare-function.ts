import { serveContender } from "../contender.ts";
import { argumentTexts, executeFindText, type FindTextArguments } from "../find-text-tool.ts";

// Parsed beforehand: this row is the cost of calling and awaiting an async function.
const parsed = new Map<string, FindTextArguments>(argumentTexts.map((text) => [text, JSON.parse(text)]));

await serveContender(() => ({ call: (text) => executeFindText(parsed.get(text) ?? JSON.parse(text)) }));
