/** A word that the project no longer uses for a thing, and how it is found. */
export interface RetiredWord {
  /** As it stands in the table of old names. */
  readonly old: string;
  /** What to say instead. */
  readonly say: string;
  /** Parts of identifiers, codes and file names: `"locked tools"` matches `lockedTools`, `locked_tools`, `locked-tools`. */
  readonly names?: readonly string[];
  /** In any text: comments, strings, test titles, Markdown. Absent where the word is ordinary English as well. */
  readonly prose?: RegExp;
}

/** Every retired word. `npm run words -- --write` makes docs/old-names.md of it. */
export const RETIRED_WORDS: readonly RetiredWord[] = [
  {
    old: "hands, a hand (what a tool acts with)",
    say: "io, tool I/O; file, network, process or environment access",
    names: ["hands", "hand of", "hand for", "no hand"],
    prose:
      /\b(?:(?:the|no|its|their|own|of|and|for|with|without|real|fake|call's|tool's|our|other|all|few) hands|hands (?:of|for|and|or|are|may|that|which|of a call)|hands-free|(?:a|one|the|no|each|every) hand (?:of|for|is|that|may|asks)|the (?:file|network|command|process|environment) hand)\b/gi,
  },
  {
    old: "walls, to wall in, walled",
    say: "sandbox, to sandbox, sandboxed; `SandboxProfile`, `sandbox.wrap()`",
    names: ["wall", "walls", "walled", "walling"],
    prose: /\bwall(?:s|ed|ing)?\b(?![ -](?:clock|time))/gi,
  },
  {
    old: "to foresee, foreseen, foresaw",
    say: "to resolve effects, resolved; `EffectResolver`, `effects_failed`",
    names: ["foresee", "foreseen", "foresees", "foresaw", "foreseeing", "foresight"],
    prose: /\bfore(?:see|sees|seen|saw|seeing|sight)\b/gi,
  },
  {
    old: "stages check, foresee, confine",
    say: "stages validate, resolve effects, check scope",
    names: ["confine", "confined", "confines", "confining"],
    prose: /\bconfin(?:e|es|ed|ing)\b/gi,
  },
  {
    old: "circumstances",
    say: "policy context; `PolicyContext`",
    names: ["circumstances", "circumstance"],
    prose: /\bcircumstances?\b/gi,
  },
  {
    old: "to judge, judged, judge, judgement",
    say: "to evaluate, evaluated; `PolicyCall`, `PolicyInput`",
    names: ["judge", "judges", "judged", "judging", "judgement", "judgment"],
    prose: /\bjudg(?:e|es|ed|ing|ement|ment)s?\b/gi,
  },
  {
    old: "hearing, heard, supposed call",
    say: "evaluation, matches, policy input",
    names: ["hearing", "heard", "unheard", "supposed"],
    prose: /\b(?:un)?heard\b|\bhearings?\b|\bsupposed calls?\b/gi,
  },
  { old: "surroundings", say: "session state", names: ["surroundings"], prose: /\bsurroundings\b/gi },
  {
    old: "lineage",
    say: "parent context; `session.childContext(name)`, option `parent`",
    names: ["lineage", "lineages"],
    prose: /\blineages?\b/gi,
  },
  {
    old: "landmarks",
    say: "index of standing events",
    names: ["landmark", "landmarks"],
    prose: /\blandmarks?\b/gi,
  },
  { old: "shelf", say: "database handles", names: ["shelf", "shelves"], prose: /\b(?:shelf|shelves)\b/gi },
  {
    old: "desk, clerk, seat",
    say: "approval queue, handler, subscription",
    names: ["desk", "desks", "clerk", "clerks", "seat", "seats", "seated"],
    prose: /\b(?:desks?|clerks?|seats?|seated)\b/gi,
  },
  {
    old: "card",
    say: "grouped approval",
    names: ["card", "cards"],
    prose: /\bcards?\b(?! (?:number|holder))/gi,
  },
  {
    old: "seal, sealed",
    say: "signature, signed",
    names: ["seal", "seals", "sealed", "sealing", "unsealed"],
    prose: /\b(?:un)?seal(?:s|ed|ing)?\b/gi,
  },
  {
    old: "flights",
    say: "in-flight calls",
    names: ["flights"],
    prose: /\bflights\b|\b(?:a|the|one|each) flight\b/gi,
  },
  {
    old: "stand-in",
    say: "dry-run tool",
    names: ["stand in", "stand ins"],
    prose: /\bstand-ins?\b/gi,
  },
  {
    old: "grade, ladder",
    say: "isolation level, fallback order",
    names: ["grade", "grades", "graded", "ladder", "ladders"],
    prose: /\b(?:grades?|graded|ladders?)\b/gi,
  },
  {
    old: "ground (of a decision)",
    say: "`matchedBy`; the reason",
    names: ["ground", "grounds"],
    prose: /\bgrounds?\b/gi,
  },
  {
    old: "words (of a command, of a rejection)",
    say: "args; message, reason",
    prose:
      /\bin (?:our|its own|their own) words\b|\bwords of (?:a|the|its) (?:command|rejection|person|line)\b/gi,
  },
  {
    old: "fault, problem (of a file or an option)",
    say: "`Diagnostic`; error",
    names: ["fault", "faults", "faulty", "problem", "problems"],
    prose: /\bfault(?:s|y|less)?\b(?<!segmentation fault)/gi,
  },
  {
    old: "rooms, doors, house, drawers",
    say: "modules, entry points, layout, catch-all files",
    names: ["room", "rooms", "door", "doors", "house", "drawer", "drawers"],
    prose: /\b(?:doors?|drawers?|rooms)\b|\b(?:a|the|each|every) room\b/gi,
  },
  {
    old: "known, held, held back (server, tool)",
    say: "accepted, awaiting review",
    names: ["known servers", "held tool", "held tools", "held back", "held server", "held servers"],
    prose:
      /\bheld back\b|\b(?:a|the) (?:known|held) (?:server|tool)s?\b|\b(?:holds?|holding) (?:it |them |back )?back\b/gi,
  },
  {
    old: "era",
    say: "protocol generation",
    names: ["era", "eras"],
    prose: /\beras?\b/gi,
  },
  {
    old: "shipped, ships",
    say: "built-in; includes",
    names: ["shipped", "ships"],
    prose: /\b(?:shipped|ships)\b/gi,
  },
  {
    old: "the locked thirteen, `lockedTools`, `registerLocked`",
    say: "the standard tools; `standardTools()`",
    names: ["locked tools", "register locked", "locked thirteen"],
    prose: /\blocked (?:thirteen|tools?|names|ones)\b/gi,
  },
  {
    old: "embedder",
    say: "host application",
    names: ["embedder", "embedders"],
    prose: /\bembedders?\b/gi,
  },
  {
    old: "to put away",
    say: "to dispose, to remove, to store",
    names: ["put away", "puts away"],
    prose: /\bput(?:s|ting)? (?:(?:it|them|what|this|that) )?away\b/gi,
  },
  {
    old: "to heed",
    say: "to verify, to apply",
    names: ["heed", "heeds", "heeded"],
    prose: /\bheed(?:s|ed|ing)?\b/gi,
  },
  {
    old: "to mend",
    say: "to fix",
    names: ["mend", "mends", "mended", "mending"],
    prose: /\bmend(?:s|ed|ing)?\b/gi,
  },
  {
    old: "to mind",
    say: "to object, to trigger",
    names: ["minds", "minded"],
    prose: /\b(?:minds|minded)\b|\bmind (?:it|that|this|what|the|them|a)\b/gi,
  },
  { old: "upkeep", say: "reconnect loop", names: ["upkeep"], prose: /\bupkeep\b/gi },
  {
    old: "breaths, to breathe",
    say: "yields to the event loop",
    names: ["breath", "breaths", "breathe", "breathes"],
    prose: /\b(?:breaths?|breathe[sd]?)\b/gi,
  },
  {
    old: "openings",
    say: "open mounts; ways in",
    names: ["openings"],
    prose: /\bopenings\b/gi,
  },
  {
    old: "to obey, obeyed",
    say: "to run by itself: auto-executed; to follow",
    names: ["obey", "obeys", "obeyed", "obeying"],
    prose: /\bobey(?:s|ed|ing)?\b/gi,
  },
  { old: "in turns", say: "chunked, in chunks", names: ["in turns"], prose: /\bin turns\b/gi },
  { old: "beside", say: "with, next to, in addition to", names: ["beside"], prose: /\bbeside\b/gi },
  {
    old: "leave (noun)",
    say: "permission",
    prose: /\b(?:person's|user's|no|own|a|their|its|of|without|gives?|gave|needs?|take|takes) leave\b/gi,
  },
  {
    old: "nobody, somebody, whoever",
    say: "no approver, a user, an approver, the host application",
    names: ["nobody", "somebody", "whoever"],
    prose: /\b(?:nobody|somebody|whoever|whomever)\b/gi,
  },
  {
    old: "to speak of (a rule)",
    say: "to match",
    names: ["speaks of", "speak of"],
    prose: /\b(?:speaks?|spoken?|speaking) of\b/gi,
  },
  {
    old: "to give way to",
    say: "to be overridden by",
    names: ["gives way", "give way"],
    prose: /\b(?:gives?|gave|giving) way\b/gi,
  },
  {
    old: "the very same, this very",
    say: "exactly the same, this",
    prose: /\b(?:the|this|that|these|those) very\b/gi,
  },
  { old: "counts as", say: "is treated as", prose: /\bcount(?:s|ed)? as\b/gi },
  {
    old: "to go on (a session, a turn)",
    say: "to resume, to continue",
    names: ["goes on", "go on"],
    prose: /\b(?:goes|went|going|gone) on\b|\bgo on (?:with|where|from|as)\b/gi,
  },
  { old: "strangers", say: "untrusted", names: ["stranger", "strangers"], prose: /\bstrangers?\b/gi },
  { old: "is not right", say: "is invalid", prose: /\b(?:is|are|was) not right\b/gi },
  { old: "Beware", say: "Warning", prose: /\bbeware\b/gi },
  {
    old: "taken back, turned down",
    say: "undone, rejected",
    names: ["taken back", "turned down"],
    prose: /\b(?:taken|take|takes|took) back\b|\bturn(?:s|ed)? down\b/gi,
  },
];
