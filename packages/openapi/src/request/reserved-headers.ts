/** Headers that an operation must not describe (by the specification), or that a request must not set. */
export const OWN_HEADERS =
  /^(?:accept|accept-encoding|authorization|connection|content-length|content-type|cookie|expect|host|http2-settings|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*)$/i;

/** Headers that change the request for some servers: another method, another path, another sender. */
export const OVERRIDING_HEADERS: readonly RegExp[] = [
  /^x-(?:http-)?(?:method|verb|path)(?:-override|-tunneling)?$|^x-rest-method$/i,
  /^x-(?:original|rewrite|override)-(?:url|uri|host|method|path)$|^x-envoy-.*$/i,
  /^(?:x-)?forwarded.*$|^x-(?:http-)?host(?:-override)?$|^x-custom-ip-authorization$/i,
  /^(?:x-)?(?:real|client|true-client|cluster-client|fastly-client|cf-connecting|azure|remote|originating|proxyuser|proxy-user)-?(?:ip|clientip|socketip|addr)$/i,
];
