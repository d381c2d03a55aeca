import { ToolFailure } from "@toolkeep/core";
import { AROUND_CONTENT } from "./boilerplate-elements.ts";

export interface HtmlOptions {
  /** The URL of the page: relative links become absolute. */
  readonly url: string;
  readonly format: "markdown" | "text";
  readonly signal: AbortSignal;
}

export interface HtmlText {
  readonly title?: string;
  readonly text: string;
}

const CLEAN = { emptyLinks: true, emptyImages: true, emptyLinkText: true, selfLinkHeadings: true };
const PIECE = 32_768;
const MOST_MS = 3_000;
const MOST_CHARACTERS = 8_000_000;
const LONGEST_BASE = 300;

/**
 * Converts a page to Markdown or plain text. Works in chunks, so that a page does not block the event loop.
 * @throws ToolFailure `too_large` for a page that takes too long or grows too much, `unavailable` if the converter does
 * not run.
 */
export async function htmlToText(html: string, options: HtmlOptions): Promise<HtmlText> {
  const { htmlToMarkdown, streamHtmlToMarkdown } = await loadConverter();
  const until = performance.now() + MOST_MS;
  const base = baseOf(html, options.url);
  const settings = {
    format: options.format,
    clean: CLEAN,
    ...(base === undefined ? {} : { origin: base }),
  };

  async function converted(exclude: readonly string[]): Promise<string> {
    let text = "";
    const pieces = piecesOf(html, until, options.signal);
    for await (const part of streamHtmlToMarkdown(pieces, {
      ...settings,
      plugins: { filter: { exclude: [...exclude] } },
    })) {
      text += part;
      if (text.length > MOST_CHARACTERS) throw tooLarge("grows too much");
    }
    return text.trim();
  }

  const title = TITLE.exec(html.slice(0, PIECE))?.[1];
  const text = (await converted(["title", ...AROUND_CONTENT])) || (await converted(["title"]));
  if (title === undefined) return { text };
  return { title: htmlToMarkdown(`<p>${title}</p>`, { format: "text" }).trim(), text };
}

const TITLE = /<title[^>]{0,200}>([^<]{1,1000})/i;
const BASE = /<base\s[^>]{0,500}?href\s*=\s*["']?([^"'\s>]{1,1000})/i;

/** Every link may repeat it, so a long one is omitted. */
function baseOf(html: string, url: string): string | undefined {
  const given = BASE.exec(html.slice(0, PIECE))?.[1];
  const base = given !== undefined && URL.canParse(given, url) ? new URL(given, url) : new URL(url);
  const isWeb = base.protocol === "http:" || base.protocol === "https:";
  return isWeb && base.href.length <= LONGEST_BASE ? base.href : undefined;
}

function piecesOf(html: string, until: number, signal: AbortSignal): ReadableStream<string> {
  let at = 0;
  return new ReadableStream<string>(
    {
      async pull(controller) {
        // Yield to the event loop between two chunks.
        await new Promise((resolve) => setTimeout(resolve, 0));
        signal.throwIfAborted();
        if (performance.now() > until) throw tooLarge("takes too long");
        const end = wholeCharacters(html, at + PIECE);
        if (at < html.length) controller.enqueue(html.slice(at, end));
        else controller.close();
        at = end;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Half of a surrogate pair would be lost in the converter. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

function tooLarge(what: string): ToolFailure {
  return new ToolFailure("too_large", `The page ${what} when it is converted to text.`, {
    hint: 'Ask for the source of the page with format "html".',
  });
}

/** Loaded with the first page. */
async function loadConverter(): Promise<typeof import("@mdream/js")> {
  try {
    return await import("@mdream/js");
  } catch (cause) {
    throw new ToolFailure(
      "unavailable",
      "The converter of web pages (@mdream/js) does not run on this machine.",
      {
        hint: 'Ask for the source of the page with format "html".',
        cause,
      },
    );
  }
}
