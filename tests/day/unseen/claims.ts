import type { Facts } from "./facts.ts";

/** A sentence of a reason, and whether it holds for a step that does these things. */
type Claim = readonly [sentence: RegExp, holds: (facts: Facts, match: RegExpExecArray) => boolean];

const runs: Claim[1] = ({ ran = [] }) => ran.length > 0;
const contacts =
  (where: "here" | "away"): Claim[1] =>
  ({ contacted = [] }) =>
    contacted.includes(where);
const changes =
  (what: Facts["changedElsewhere"]): Claim[1] =>
  ({ changedElsewhere }) =>
    changedElsewhere === what;
const alters: Claim[1] = ({ changed, deleted }) => changed !== undefined || deleted !== undefined;
const onlyReads: Claim[1] = ({ ran, deleted, changed, wroteOutside, ended, changedElsewhere }) =>
  [ran, deleted, changed, wroteOutside, ended, changedElsewhere].every((fact) => fact === undefined);

/**
 * Every sentence that names a danger, with the fact that it claims. "Could" and "may" claim the same: the command as it
 * is written is what a user is asked about.
 */
const CLAIMS: readonly Claim[] = [
  [/^It runs the project's own code/, runs],
  [/^It runs a script\.$/, runs],
  [/^It runs code\.$/, ({ ran = [], ranGiven }) => ran.length > 0 || ranGiven === true],
  [
    /^It runs code from the script "([^"]+)" of "([^"]+)"/,
    ({ ran = [] }, [, script, path = ""]) => ran.some((file) => `/${path}#${script}`.endsWith(`/${file}`)),
  ],
  [
    /^It runs code from "([^"]+)"/,
    ({ ran = [] }, [, path = ""]) => ran.some((file) => `/${path}`.endsWith(`/${file}`)),
  ],
  [/^It follows "([^"]+)"/, runs],
  [/^It runs code from the folder or the file that it names/, runs],
  [/^It runs code that is given on the command line/, ({ ranGiven }) => ranGiven === true],
  [/^It downloads a script and runs it/, contacts("away")],
  [
    /^It (?:installs packages|downloads (?:and installs )?packages|downloads a program|runs a package by name|brings in a repository)/,
    contacts("away"),
  ],
  [/is not installed in the project, so \w+ downloads a package and runs it/, contacts("away")],
  [/^It (?:could|may) send private data/, contacts("away")],
  [
    /^It (?:asks|sends (?:a request|something) to|runs commands on|copies files from or to) another machine/,
    contacts("away"),
  ],
  [/^It (?:publishes a package|sends commits to a remote|rewrites what others have)/, contacts("away")],
  [/^It sends a request to a program on this machine/, contacts("here")],
  [
    /^It (?:downloads|brings in) commits (?:from|of) a remote/,
    ({ readOutside }) => readOutside !== undefined,
  ],
  [/^It ends processes/, ({ ended }) => ended === true],
  [
    /^It (?:runs statements on|reads|changes|may delete data of) a database/,
    ({ queried }) => queried === true,
  ],
  [/^It (?:deletes (?:files?|something outside)|moves files away)/, ({ deleted }) => deleted !== undefined],
  [
    /^It deletes or stops something on another machine/,
    ({ changedElsewhere, contacted = [] }) => changedElsewhere !== undefined || contacted.includes("away"),
  ],
  [/^It (?:may discard changes|throws work away|destroys data on this machine)/, alters],
  [/^It (?:writes files, and not only|puts files of other commits|changes a repository)/, alters],
  [/^It changes files to what other commits contain/, ({ changed }) => changed !== undefined],
  [/^It writes outside/, ({ wroteOutside }) => wroteOutside !== undefined],
  [/^It reads outside/, ({ readOutside }) => readOutside !== undefined],
  [/^(?:It changes a|It deletes resources of a|It runs a command in a) cluster/, changes("cluster")],
  [/^It (?:changes|destroys) infrastructure/, changes("infrastructure")],
  [/^It (?:uses|changes) your account/, changes("account")],
  [/^It (?:changes|deletes) something at (?:a cloud provider|the host of your)/, changes("account")],
  [/^It shows environment variables/, ({ showsVariables }) => showsVariables === true],
  [/^It starts(?: or|,) stops? /, changes("services")],
  [/^It runs commands later/, changes("schedule")],
  [/^`[^`]+` only reads/, onlyReads],
];

/** Sentences about the policy, or about what a name often means. */
const NO_CLAIM =
  /^(?:No policy rule (?:matches this call|allows )|The rule: |Scripts with such a name often )/;
/** Sentences about what Toolkeep knows. What a step does says nothing about whether they are true. */
const ABOUT_KNOWLEDGE = /^Toolkeep (?:does not know|cannot tell) /;

export interface Checked {
  readonly claims: readonly string[];
  readonly untrue: readonly string[];
  /** Sentences about what Toolkeep knows, which are not checked. */
  readonly aboutKnowledge: readonly string[];
  /** Sentences that no claim is known for. */
  readonly unknown: readonly string[];
}

/** Compares what a reason says with what the step does. */
export function checkReason(reason: string, facts: Facts): Checked {
  const sentences = sentencesOf(reason);
  const claims = sentences.filter((sentence) => CLAIMS.some(([form]) => form.test(sentence)));
  return {
    claims,
    untrue: claims.filter((sentence) => !isTrue(sentence, facts)),
    aboutKnowledge: sentences.filter((sentence) => ABOUT_KNOWLEDGE.test(sentence)),
    unknown: sentences.filter((sentence) => !claims.includes(sentence) && !ABOUT_KNOWLEDGE.test(sentence)),
  };
}

function isTrue(sentence: string, facts: Facts): boolean {
  for (const [form, holds] of CLAIMS) {
    const match = form.exec(sentence);
    if (match !== null) return holds(facts, match);
  }
  return false;
}

/** What is said before the list of effects: after it come the form of the line and the command that allows it. */
function sentencesOf(reason: string): readonly string[] {
  const [said = ""] = reason.replace(/^Toolkeep: /, "").split(/ \((?=[a-z]+\.[a-z]+ )/);
  return said
    .replace(/^This call needs approval, and the client cannot ask here: /, "")
    .split(/(?<=\.) (?=[A-Z])/)
    .filter((sentence) => sentence !== "" && !NO_CLAIM.test(sentence));
}
