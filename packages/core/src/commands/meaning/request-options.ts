/** The options with which a program asks the address that it is given, and no other. */
export interface Requester {
  readonly flags: RegExp;
  /** Their value is the next word. */
  readonly valued: RegExp;
}

const CURL: Requester = {
  flags:
    /^-[sSfiIvkgjNOGa#012346]*(?:[owHXdFmuAbceTrD].+)?$|^--(?:silent|show-error|fail(?:-with-body|-early)?|include|head|verbose|get|compressed|globoff|no-buffer|no-progress-meter|progress-bar|http[\d.]+|insecure|ipv[46]|remote-name)$/s,
  valued:
    /^-[sSfiIvkgjNOGa#012346]*[owHXdFmuAbceTrD]$|^--(?:output|write-out|header|request|data(?:-raw|-binary|-urlencode|-ascii)?|json|form(?:-string)?|max-time|connect-timeout|retry(?:-delay|-max-time)?|user|user-agent|cookie|cookie-jar|referer|upload-file|range|cacert|dump-header)$/,
};
const WGET: Requester = {
  flags:
    /^-(?:[qSv]+|nv|q?O-|q?O.+|[tT]\d+)$|^--(?:quiet|spider|no-verbose|server-response|(?:timeout|tries|method|header|post-data|body-data|output-document)=.*)$/s,
  valued: /^-q?[OtT]$|^--(?:timeout|tries|method|header|post-data|body-data|output-document)$/,
};
export const HTTPIE: Requester = {
  flags:
    /^-[bhvjfp]+$|^--(?:body|headers|verbose|json|form|check-status|ignore-stdin|(?:pretty|print|timeout)=.*)$/,
  valued: /^--(?:pretty|print|timeout)$/,
};

export const REQUESTERS: Readonly<Record<string, Requester>> = {
  curl: CURL,
  wget: WGET,
  http: HTTPIE,
  xh: HTTPIE,
};
