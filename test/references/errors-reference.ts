import { messagingErrors } from "@tally/broker";
import { tallyClientErrors } from "@tally/client";
import { databaseErrors } from "@tally/database";
import { catalogue } from "@tally/gateway";
import { serviceErrors, type CatalogueEntry } from "@tally/runtime";
import { table } from "./table.ts";

/** docs/errors.md. */
export function errorsReference(): string {
  const responses = Object.entries(catalogue).map(([code, [status, message, retryAfterSeconds]]) => [
    `\`${code}\``,
    String(status),
    `\`${message}\``,
    retryAfterSeconds === undefined ? "" : `${retryAfterSeconds} s`,
  ]);
  return `# Errors

## Responses of a gateway

The body is one sentence that names the field, what is expected and what came: \`{"message":"…"}\`, below \`/albums\`
and \`/review\` \`{"msg":"…"}\`. The
code is not in the body: it labels the metric \`tally_gateway_errors_total{status,code}\`. Names in braces stand for
values. A rate limit raises
\`Retry-After\` until its next token is due; a bulk request with a 503 in it has 2 s. Without \`Retry-After\` the same
request fails again.

${table(["code", "status", "message", "`Retry-After`"], responses)}

## In the code and in logs

Each is the \`code\` of an error that a package throws, and its message begins as listed.

### Database

\`data\`: the writer rejects the rows. \`retry\`, \`unavailable\`: it repeats the transaction. \`statement\`: correct
the code or the configuration.

${table(
  ["code", "kind", "message", "when"],
  Object.entries(databaseErrors).map(([code, { kind, message, when }]) => [`\`${code}\``, kind, message, when]),
)}

### Broker and configuration

${errorTable({ ...messagingErrors, ...serviceErrors })}

### Client package

${errorTable(tallyClientErrors)}
`;
}

function errorTable(errors: Readonly<Record<string, CatalogueEntry>>): string {
  return table(
    ["code", "message", "when"],
    Object.entries(errors).map(([code, { message, when }]) => [`\`${code}\``, message, when]),
  );
}
