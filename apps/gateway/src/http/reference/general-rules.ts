/** The description of the API reference (CommonMark): what holds for all routes. docs/http.md says more. */
export const generalRules = `\
tally takes events, stores each exactly once, and keeps live rankings that equal the rows.

- **Values.** Every value of a request may be a text or a number: \`"7"\`, \`"007"\` and \`7\` are equal.
- **Retries.** Give each event an \`Idempotency-Key\`, and send each retry with the same one: it is then the same event. 503 and 429 carry
  \`Retry-After\`. The same key with other content is 422.
- **Errors** are JSON with one sentence, which names the field, what was expected, and what the gateway received. The names of the examples
  are the codes of the errors, which the metrics have too. Names in braces stand for values.
- **Requests without a route** get 404 (\`PATH_NOT_FOUND\`) or 405 with \`Allow\` (\`METHOD_NOT_ALLOWED\`, \`CONNECT\`), see the responses below
  \`components\`.
- **Bodies** may be compressed (\`Content-Encoding: gzip\`, \`br\` or \`zstd\`); larger responses are, for clients that accept it. JSON needs no
  \`Content-Type\`. A POST that shows no body ignores any.
- **HEAD** is accepted wherever GET is. A slash at the end of a path, or two in a row, make no difference.
- **API keys** are not needed where the gateway runs with \`AUTH=off\`, as \`pnpm dev\` does. There a POST that a browser sends for a page of
  another site is 403. The gateway sends no CORS headers: pages of other sites cannot read it, and cannot send it a key.
- **Rankings** have the highest count first, and equal counts by the smaller id. \`asOf\` is the time of the newest event that a ranking
  counts; null: it counts none.
`;
