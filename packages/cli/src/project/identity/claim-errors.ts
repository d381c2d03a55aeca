export const CLAIMS: Readonly<Record<string, string>> = {
  iss: "The token is from another issuer.",
  aud: "The token is for another audience.",
  sub: "The token does not say whom it is about.",
  exp: "The token does not say until when it is valid.",
  nbf: "The token is not valid yet.",
};
