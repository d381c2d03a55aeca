import { describe, expect, test } from "vitest";
import { decodePunycode } from "./mark-hosts.ts";
import { visible } from "./visible.ts";

describe("a host in letters that look like others is marked", () => {
  test.each([
    [
      "as ssh and git write it",
      "git push git@\u0261ithub.com:acme/app",
      "git push git@\u0261ithub.com<xn--ithub-qmc.com>:acme/app",
    ],
    ["as ssh takes it, without a dot", "ssh deploy@bu\u0131ld", "ssh deploy@bu\u0131ld<xn--buld-mza>"],
    [
      "bare, with a dotless i",
      "curl -sS reg\u0131stry.npmjs.org/x",
      "curl -sS reg\u0131stry.npmjs.org<xn--regstry-tfb.npmjs.org>/x",
    ],
    ["bare, with its port", "nc \u0261ithub.com 443", "nc \u0261ithub.com<xn--ithub-qmc.com> 443"],
    ["with its domain in capitals", "curl \u0261ithub.COM", "curl \u0261ithub.COM<xn--ithub-qmc.com>"],
    ["in full width", "ssh deploy@\uff47ithub.com", "ssh deploy@\uff47ithub.com<github.com>"],
    ["in mathematical letters", "curl \u{1d420}ithub.com", "curl \u{1d420}ithub.com<github.com>"],
    ["with an accent below", "curl p\u1ea1ypal.com", "curl p\u1ea1ypal.com<xn--pypal-j11b.com>"],
    ["with a combining mark", "curl github\u0323.com", "curl github\u0323.com<xn--githu-w90b.com>"],
    ["in Cyrillic from end to end", "curl \u0430.com", "curl \u0430.com<xn--80a.com>"],
    [
      "with one letter of its domain",
      "curl github.\u0441om",
      "curl github.\u0441om<mixed scripts><github.xn--om-nmc>",
    ],
    ["with a digit of another script", "curl s\u09ea.com", "curl s\u09ea.com<xn--s-06d.com>"],
    ["with a soft hyphen", "curl git\u00adhub.com", "curl git\\xadhub.com<github.com>"],
    ["with a zero-width space", "curl git\u200bhub.com/x", "curl git<U+200B>hub.com<github.com>/x"],
    [
      "with another full stop",
      "curl github\u3002com.evil.test/x",
      "curl github\u3002com.evil.test<github.com.evil.test>/x",
    ],
    [
      "with another slash",
      "curl github.com\u2044login.evil.test/x",
      "curl github.com\u2044login.evil.test<github.xn--comlogin-g03d.evil.test>/x",
    ],
    [
      "before an @, with another slash at its end",
      "curl https://github.com\u2044@evil.test/",
      "curl https://github.com\u2044<not plain: U+2044>@evil.test/",
    ],
    [
      "before an @, with another question mark and a lookalike behind",
      "curl https://github.com\ufe56:x@\u0261ithub.com/",
      "curl https://github.com\ufe56:x<not plain: U+FE56>@xn--ithub-qmc.com/",
    ],
    [
      "before an @, bare",
      "curl github.com\u2215@evil.test",
      "curl github.com\u2215<not plain: U+2215>@evil.test",
    ],
    [
      "with a slash no network takes",
      "curl github.com\uff0fx.evil.test",
      "curl github.com\uff0fx.evil.test<not plain: U+FF0F>",
    ],
    [
      "with a letter that looks like a slash",
      "curl a.com\u30celogin.evil.test",
      "curl a.com\u30celogin.evil.test<a.xn--comlogin-634g.evil.test>",
    ],
    [
      "as an address in full width",
      "curl \uff11\uff12\uff17.\uff10.\uff10.\uff11",
      "curl \uff11\uff12\uff17.\uff10.\uff10.\uff11<127.0.0.1>",
    ],
    [
      "in an address with a backslash",
      "curl https://\u0261ithub.com\\@x/",
      "curl https://\u0261ithub.com<xn--ithub-qmc.com>\\@x/",
    ],
    ["in an address, where its port stays", "https://\u00fc.example:80/x", "https://xn--tda.example:80/x"],
    [
      "in an address, in full width",
      "https://\uff47ithub.com:8080/x",
      "https://\uff47ithub.com<github.com>:8080/x",
    ],
    [
      "as the network writes it",
      "https://xn--80ak6aa92e.com/",
      "https://xn--80ak6aa92e.com<\u0430\u0440\u0440\u04cf\u0435.com>/",
    ],
  ])("%s", (_how, text, shown) => {
    expect(visible(text)).toBe(shown);
  });
});

test.each([
  "Die Übersicht.md und Straße.txt für Müller.pdf, größe.length, größe.toString() z.B. Äpfel",
  "これはexample.comです。終わり。次の文。資料.pdf 報告書v1.2.docx ノート.md 参照：example.com",
  "отчёт.docx заметки.md пример.рф один. Два",
  "kayıt.txt İstanbul.json naïve.py café.sh L'été. Il",
  "“quoted” – dash … /home/jürgen/Schriften/日本語/ファイル.ts:12",
  "größe@2x §1.2 10µm.5",
  "curl https://github.com/x git@github.com:acme/app.git s3.amazonaws.com",
])("what is no host, or plain, stays as it is: %s", (text) => {
  expect(visible(text)).toBe(text);
});

test("what a label says in letters is what the network makes of those letters", () => {
  for (const label of [
    "bücher",
    "аррӏе",
    "日本語",
    "ɡithub",
    "faß",
    "ليهمابتكلموشعربي؟".slice(0, -1),
    "a\u{1f4a9}b",
  ]) {
    const encoded = URL.parse(`http://${label}`)?.hostname ?? "";
    expect(decodePunycode(encoded)).toBe(label);
  }
  expect(decodePunycode("xn--\u0261")).toBeUndefined();
  expect(decodePunycode(`xn--${"9".repeat(59)}`)).toBeUndefined();
});

test("of accents without end on one letter, the number is said", () => {
  expect(visible(`rm a${"\u0300".repeat(40)} b`)).toBe(`rm a${"\u0300".repeat(4)}<36 more accents> b`);
});

test("what is cut is cut between characters, and what is left out is counted in the text as it came", () => {
  const shown = visible("\u{1f4a9}".repeat(5_000));
  expect(shown).not.toContain("U+D8");
  expect(shown).toContain("<8000 characters left out>");
});
