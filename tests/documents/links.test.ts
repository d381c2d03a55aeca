import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { PAGES, ROOT } from "./pages.ts";

const OURS = "https://github.com/toolkeep/toolkeep";
/** Of Markdown and of HTML, outside of code. */
const LINK = /\]\(([^)\s]+)\)|\b(?:href|src)="([^"]+)"/g;

const withoutCode = (text: string) => text.replaceAll(/^( *)(`{3,})[\s\S]*?^\1\2/gm, "");

/** What a link within the repository leads to; undefined for one that leads elsewhere. */
function targetOf(link: string, page: string): { path: string; anchor: string } | undefined {
  const [address = "", anchor = ""] = link.split("#");
  if (address === OURS) return { path: "README.md", anchor };
  const ours = /^\/(?:blob|tree)\/main\/(.*)$/.exec(
    address.startsWith(OURS) ? address.slice(OURS.length) : "",
  );
  if (ours?.[1] !== undefined) return { path: ours[1], anchor };
  if (/^\w+:/.test(address)) return undefined;
  return { path: address === "" ? page : relative(ROOT, join(ROOT, dirname(page), address)), anchor };
}

/** The anchors of a page, as a forge makes them from its headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = withoutCode(readFileSync(join(ROOT, page), "utf8")).matchAll(/^#+ (.*)$/gm);
  const seen = new Map<string, number>();
  const anchors = Array.from(headings, ([, heading = ""]) => {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const earlier = seen.get(slug) ?? 0;
    seen.set(slug, earlier + 1);
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  });
  return new Set([...anchors, ...(page === "README.md" ? ["readme"] : [])]);
}

test.each([...PAGES])("every link of %s within the repository leads somewhere", (page, text) => {
  const links = Array.from(withoutCode(text).matchAll(LINK), ([, markdown, html]) => markdown ?? html ?? "");
  const dead = links.filter((link) => {
    const target = targetOf(link, page);
    if (target === undefined) return false;
    if (target.path.startsWith("..") || !existsSync(join(ROOT, target.path))) return true;
    if (target.anchor === "" || statSync(join(ROOT, target.path)).isDirectory()) return false;
    return target.path.endsWith(".md") && !anchorsOf(target.path).has(target.anchor);
  });
  expect(dead).toEqual([]);
});
