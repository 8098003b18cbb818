import type { RouteAccess } from "../../admission/admission.ts";
import { codesOfCatalogue, type ErrorCode } from "../../errors/catalogue.ts";
import { isRecord, type DomainDocument, type ServedRoute } from "./documented.ts";

/** Errors of requests that reach no route of the reference. */
export const withoutRoute = [
  "PATH_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "CONNECT",
  "BAD_REQUEST",
  "PAGE_NOT_BUILT",
] as const;

// Found in the head of a request, before its route is known, or while it arrives; and bugs.
const always = [
  "MALFORMED_REQUEST",
  "REQUEST_TIMEOUT",
  "HOST_MISSING",
  "HEADER_REPEATED",
  "TRANSFER_ENCODING",
  "EXPECTATION",
  "TOO_MANY_HEADERS",
  "HEADERS_TOO_LARGE",
  "CHUNK_EXTENSIONS_TOO_LARGE",
  "INTERNAL",
] as const;
const ofParams = ["PATH_ENCODING", "PATH_TOO_LONG"] as const;
const ofAnyKey = [
  "API_KEY_MISSING",
  "API_KEY_INVALID",
  "API_KEY_UNCHECKED",
  "SCOPE_MISSING",
  "RATE_LIMITED",
  "RATE_LIMIT_UNCHECKED",
] as const;
const ofAnyBody = ["BODY_TOO_LARGE", "BODY_CUT_SHORT", "BODIES_FULL"] as const;
const ofReadBody = ["UNSUPPORTED_CONTENT", "CONTENT_TYPE", "INVALID_INPUT"] as const;
// The key is checked by INVALID_INPUT too.
const ofEvents = [
  "INVALID_INPUT",
  "IDEMPOTENCY_KEY_REUSED",
  "BUSY",
  "BROKER_UNAVAILABLE",
  "NOT_CONFIRMED",
  "UNREADABLE",
] as const;
const ofReads = ["READS_FULL", "UNREADABLE"] as const;
const ofFinds = ["NOT_FOUND", "NOT_YET", ...ofReads] as const;

/** Every error that a request to the route can get, in the order of the catalogue. */
export function errorsOf({ method, access, url, schema, documented }: ServedRoute): readonly ErrorCode[] {
  const isOwn = !("domain" in documented);
  const codes = new Set<ErrorCode>([
    ...always,
    ...(url.includes(":") ? ofParams : []),
    ...(method === "POST" ? (["FOREIGN_PAGE"] as const) : []),
    ...ofAccess(access, documented),
    ...(isOwn ? (documented.errors ?? []) : ofDomainRoute(documented)),
    ...(isOwn && (schema.params !== undefined || schema.querystring !== undefined) ? ["INVALID_INPUT" as const] : []),
  ]);
  return codesOfCatalogue.filter((code) => codes.has(code));
}

function ofAccess(access: RouteAccess, documented: ServedRoute["documented"]): readonly ErrorCode[] {
  if (access === "open") return [];
  if (access === "anyKey" || !("domain" in documented)) return ofAnyKey;
  const { route } = documented;
  if (route.kind === "form" || route.kind === "content" || route.storeOf === undefined)
    return [...ofAnyKey, "STORE_LIMITED"];
  if (route.kind === "bulk") return [...ofAnyKey, "STORE_FORBIDDEN", "STORE_LIMITED", "BURST_EXCEEDED"];
  // A store in the path is always known; in a query or a body it may be absent.
  const isInPath = isRecord(route.params.properties) && "storeID" in route.params.properties;
  return [...ofAnyKey, "STORE_FORBIDDEN", ...(isInPath ? [] : (["STORE_LIMITED"] as const))];
}

function ofDomainRoute({ route }: DomainDocument): readonly ErrorCode[] {
  switch (route.kind) {
    case "ingest":
      return [
        ...ofEvents,
        ...ofAnyBody,
        ...(route.body === "ignored" ? [] : ofReadBody),
        ...(route.requires === undefined ? [] : ofFinds),
      ];
    case "form":
      return [...ofEvents, ...ofAnyBody, ...ofReadBody, "PART_TOO_LARGE"];
    case "bulk":
      return [...ofEvents, ...ofAnyBody, ...ofReadBody];
    case "query":
      return ["INVALID_INPUT", ...ofReads, ...(route.finds === true ? ofFinds : [])];
    case "content":
      return ["INVALID_INPUT", "RESPONSES_FULL", ...ofReads, ...(route.finds === true ? ofFinds : [])];
  }
}
