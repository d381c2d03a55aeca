/** The options with which a program asks the address that it is given, and no other. */
export interface Requester {
  readonly flags: RegExp;
  /** Their value is the next word. */
  readonly valued: RegExp;
  /** Those with which it sends nothing but the address and headers, and writes no file; a value after a space. */
  readonly reading?: RegExp;
  /** One of them must be there, or the answer becomes a file. */
  readonly printing?: RegExp;
}

const CURL: Requester = {
  flags:
    /^-[sSfiIvkgjNOGa#012346]*(?:[owHXdFmuAbceTrD].+)?$|^--(?:silent|show-error|fail(?:-with-body|-early)?|include|head|verbose|get|compressed|globoff|no-buffer|no-progress-meter|progress-bar|http[\d.]+|insecure|ipv[46]|remote-name)$/s,
  valued:
    /^-[sSfiIvkgjNOGa#012346]*[owHXdFmuAbceTrD]$|^--(?:output|write-out|header|request|data(?:-raw|-binary|-urlencode|-ascii)?|json|form(?:-string)?|max-time|connect-timeout|retry(?:-delay|-max-time)?|user|user-agent|cookie|cookie-jar|referer|upload-file|range|cacert|dump-header)$/,
  reading:
    /^-[sSfiIvkgjN#012346]*(?:[me] ?\d.*|A ?.+|o ?(?:\/dev\/null|-)|X ?(?:GET|HEAD|OPTIONS)|H ?[^@ ].*|w ?(?![@ ]|.*%output).+)?$|^--(?:silent|show-error|fail(?:-with-body|-early)?|include|head|verbose|compressed|globoff|no-buffer|no-progress-meter|progress-bar|http[\d.]+|insecure|ipv[46]|(?:max-time|connect-timeout|retry(?:-delay|-max-time)?) \d+|user-agent .+|output (?:\/dev\/null|-)|request (?:GET|HEAD|OPTIONS)|header [^@].*|write-out (?!@|.*%output).+)$/s,
};
const WGET: Requester = {
  flags:
    /^-(?:[qSv]+|nv|q?O-|q?O.+|[tT]\d+)$|^--(?:quiet|spider|no-verbose|server-response|(?:timeout|tries|method|header|post-data|body-data|output-document)=.*)$/s,
  valued: /^-q?[OtT]$|^--(?:timeout|tries|method|header|post-data|body-data|output-document)$/,
  reading:
    /^-(?:[qSv]+|nv|q?O ?(?:-|\/dev\/null)|[tT] ?\d+)$|^--(?:quiet|spider|no-verbose|server-response|(?:timeout|tries)[= ]\d+|method[= ](?:GET|HEAD)|header[= ].+|output-document[= ](?:-|\/dev\/null))$/,
  printing: /O ?(?:-|\/dev\/null)$|^--(?:spider|output-document)/,
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

/** At these ports, services give away secrets or control of the machine: Docker, etcd, Kubernetes, Vault, Consul, debuggers. */
export const CONTROL_PORTS = /:(?:237[569]|2380|4243|6443|8001|8200|8500|9222|9229|1025[0579])(?:[/?#]|$)/;
