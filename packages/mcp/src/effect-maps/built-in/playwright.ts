import type { EffectMap, MappedEffect, MappedTool } from "../effect-map.ts";

const UPLOADS: readonly MappedEffect[] = [
  { capability: "browser.act", target: "*" },
  { capability: "fs.read", target: "{paths[]?}" },
  { capability: "fs.read", target: "{paths[]?}/**", entriesOf: "{paths[]?}" },
];

/** The open page cannot be derived from the arguments. */
function looking(harmless: string): MappedTool {
  return { mode: "read", effects: [{ capability: "browser.read", target: "*" }], arguments: words(harmless) };
}

/** With a `filename`, the server writes the result there: its content is the page's. */
function saving(capability: string, harmless: string): MappedTool {
  return {
    mode: capability === "browser.read" ? "read" : "external",
    effects: [
      { capability, target: "*" },
      { capability: "fs.write", target: "{filename?}" },
    ],
    arguments: words(harmless),
  };
}

function acting(harmless = ""): MappedTool {
  return {
    mode: "external",
    effects: [{ capability: "browser.act", target: "*" }],
    arguments: words(harmless),
  };
}

function words(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}

/**
 * `@playwright/mcp`, the tools it has without further options. Those that run code in the server's own process
 * (`browser_run_code…`) and those that install a browser are omitted on purpose: they ask. Without a `filename` the
 * server keeps files in a folder of its own, in the directory that it is started in.
 */
export const PLAYWRIGHT_MAP: EffectMap = {
  name: "playwright",
  packages: ["npm:@playwright/mcp"],
  tools: {
    browser_navigate: {
      mode: "external",
      effects: [
        { capability: "browser.navigate", target: "{host:url}" },
        { capability: "net.fetch", target: "{host:url}", implied: true },
      ],
    },
    browser_navigate_back: acting(),
    browser_snapshot: saving("browser.read", "target depth boxes"),
    browser_take_screenshot: saving("browser.read", "element target type fullPage scale"),
    browser_console_messages: saving("browser.read", "level all"),
    browser_network_requests: saving("browser.read", "static filter"),
    browser_network_request: saving("browser.read", "index part"),
    browser_find: saving("browser.read", "text regex"),
    browser_wait_for: looking("time text textGone"),
    browser_click: acting("element target doubleClick button modifiers"),
    browser_drag: acting("startElement startTarget endElement endTarget"),
    browser_hover: acting("element target"),
    browser_type: acting("element target text submit slowly"),
    browser_fill_form: acting("fields[].element fields[].target fields[].name fields[].type fields[].value"),
    browser_select_option: acting("element target values"),
    browser_press_key: acting("key"),
    browser_handle_dialog: acting("accept promptText"),
    browser_resize: acting("width height"),
    browser_emulate_media: acting("colorScheme reducedMotion forcedColors contrast media"),
    browser_close: acting(),
    // It opens addresses as well.
    browser_tabs: {
      mode: "external",
      effects: [
        { capability: "browser.act", target: "*" },
        { capability: "browser.navigate", target: "{host:url?}" },
        { capability: "net.fetch", target: "{host:url?}", implied: true },
      ],
      arguments: ["action", "index"],
    },
    browser_file_upload: { mode: "external", effects: UPLOADS },
    browser_drop: { mode: "external", effects: UPLOADS, arguments: ["element", "target", "data"] },
    browser_evaluate: saving("browser.script", "element target function"),
  },
  // Nothing that names a file: a page or a configuration can bring code of its own.
  start: { args: ["--headless", "--isolated", "--browser=", "--device=", "--viewport-size="] },
};
