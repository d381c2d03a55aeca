const LONGEST_HOST = 100;
const LONGEST_LABEL = 40;
const LONGEST_ENCODED = 24;

/** Whether the name of a host carries more than a name does: whoever resolves it learns what it says. */
export function isTellingHost(host: string): boolean {
  if (host.length > LONGEST_HOST) return true;
  return host.length > LONGEST_ENCODED && host.split(".").some(isTellingLabel);
}

function isTellingLabel(label: string): boolean {
  return label.length > LONGEST_LABEL || label.split(/[-_]/).some(looksEncoded);
}

/** Long, without a break, and of letters and digits mixed. */
function looksEncoded(run: string): boolean {
  return run.length >= LONGEST_ENCODED && run.replaceAll(/\D/g, "").length >= 4;
}

/** The host in an address such as a program is given. */
export function hostIn(address: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/:?#]+)/i.exec(address)?.[1];
}
