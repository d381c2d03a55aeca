/** Elements around the content of a page. A form may be the whole page, so forms stay. */
export const AROUND_CONTENT = [
  "nav",
  "footer",
  "aside",
  "iframe",
  "object",
  "embed",
  "input",
  "textarea",
  "select",
  "button",
];
