import type { HttpCase } from "../http/http-case.ts";
import { belowBasePaths } from "./base-paths.ts";
import { bodies } from "./bodies.ts";
import { bulkRequests } from "./bulk.ts";
import { compressed } from "./compressed.ts";
import { forms } from "./forms.ts";
import { framing } from "./framing.ts";
import { headerFields } from "./header-fields.ts";
import { idempotencyKeys } from "./idempotency-keys.ts";
import { jsonValues } from "./json-values.ts";
import { paths } from "./paths.ts";
import { requestLines } from "./request-lines.ts";

/** Every hostile case, by topic. */
export const topics: readonly (readonly [string, readonly HttpCase[]])[] = [
  ["request lines", requestLines],
  ["header fields", headerFields],
  ["framing", framing],
  ["bodies", bodies],
  ["Content-Encoding", compressed],
  ["values of JSON bodies", jsonValues],
  ["bulk requests", bulkRequests],
  ["forms", forms],
  ["keys", idempotencyKeys],
  ["paths and queries", paths],
  ["base paths", belowBasePaths],
];
