import { messagingErrors } from "@tally/broker";
import { tallyClientErrors } from "@tally/client";
import { databaseErrors } from "@tally/database";
import { catalogue } from "@tally/gateway";
import { serviceErrors, type CatalogueEntry } from "@tally/runtime";
import { table } from "./table.ts";

/** docs/errors.md. */
export function errorTables() {
  const responses = Object.entries(catalogue).map(([code, [status, message, retryAfterSeconds]]) => [
    `\`${code}\``,
    String(status),
    `\`${message}\``,
    retryAfterSeconds === undefined ? "" : `${retryAfterSeconds} s`,
  ]);
  return {
    "Responses of a gateway": table(["code", "status", "message", "`Retry-After`"], responses),
    Database: table(
      ["code", "kind", "message", "when"],
      Object.entries(databaseErrors).map(([code, { kind, message, when }]) => [`\`${code}\``, kind, message, when]),
    ),
    "Broker and configuration": errorTable({ ...messagingErrors, ...serviceErrors }),
    "Client package": errorTable(tallyClientErrors),
  };
}

function errorTable(errors: Readonly<Record<string, CatalogueEntry>>): string {
  return table(
    ["code", "message", "when"],
    Object.entries(errors).map(([code, { message, when }]) => [`\`${code}\``, message, when]),
  );
}
