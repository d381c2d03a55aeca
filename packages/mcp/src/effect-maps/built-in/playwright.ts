import type { EffectMap, MappedTool } from "../effect-map.ts";

/** The open page cannot be derived from the arguments. */
const LOOKS: MappedTool = {
  mode: "read",
  effects: [{ capability: "browser.read", target: "*" }],
  // It would be a path, and the server writes there.
  checks: { filename: "name" },
};

const ACTS: MappedTool = { mode: "external", effects: [{ capability: "browser.act", target: "*" }] };

const NAVIGATES: MappedTool = {
  mode: "external",
  effects: [
    { capability: "browser.navigate", target: "{host:url}" },
    { capability: "net.fetch", target: "{host:url}", implied: true },
  ],
};

/**
 * `@playwright/mcp`, the tools it has without further options. Those that run code in the server's own process
 * (`browser_run_code…`) and those that install a browser are omitted on purpose: they ask.
 */
export const PLAYWRIGHT_MAP: EffectMap = {
  name: "playwright",
  packages: ["npm:@playwright/mcp"],
  tools: {
    browser_navigate: NAVIGATES,
    browser_navigate_back: ACTS,
    browser_snapshot: LOOKS,
    browser_take_screenshot: LOOKS,
    browser_console_messages: LOOKS,
    browser_network_requests: LOOKS,
    browser_network_request: LOOKS,
    browser_wait_for: LOOKS,
    browser_click: ACTS,
    browser_drag: ACTS,
    browser_hover: ACTS,
    browser_type: ACTS,
    browser_fill_form: ACTS,
    browser_select_option: ACTS,
    browser_press_key: ACTS,
    browser_handle_dialog: ACTS,
    browser_resize: ACTS,
    browser_close: ACTS,
    // It opens addresses as well.
    browser_tabs: {
      mode: "external",
      effects: [
        { capability: "browser.act", target: "*" },
        { capability: "browser.navigate", target: "{host:url?}" },
        { capability: "net.fetch", target: "{host:url?}", implied: true },
      ],
    },
    browser_file_upload: {
      mode: "external",
      effects: [
        { capability: "browser.act", target: "*" },
        { capability: "fs.read", target: "{paths[]?}" },
        { capability: "fs.read", target: "{paths[]?}/**", entriesOf: "{paths[]?}" },
      ],
    },
    browser_evaluate: {
      mode: "external",
      effects: [{ capability: "browser.script", target: "*" }],
      checks: { filename: "name" },
    },
  },
  // Nothing that names a file: a page or a configuration can bring code of its own.
  start: { args: ["--headless", "--isolated", "--browser=", "--device=", "--viewport-size="] },
};
