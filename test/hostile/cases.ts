import { belowBasePaths } from "./base-paths.ts";
import { bodies } from "./bodies.ts";
import { bulk } from "./bulk.ts";
import { compressed } from "./compressed.ts";
import { framing } from "./framing.ts";
import { headerFields } from "./header-fields.ts";
import type { HostileCase } from "./hostile-case.ts";
import { idempotencyKeys } from "./idempotency-keys.ts";
import { jsonValues } from "./json-values.ts";
import { multipart } from "./multipart.ts";
import { paths } from "./paths.ts";
import { requestLines } from "./request-lines.ts";

/** Every hostile case, by topic. */
export const topics: readonly (readonly [string, readonly HostileCase[]])[] = [
  ["request lines", requestLines],
  ["header fields", headerFields],
  ["framing", framing],
  ["bodies", bodies],
  ["Content-Encoding", compressed],
  ["values of JSON bodies", jsonValues],
  ["many sales", bulk],
  ["forms", multipart],
  ["keys", idempotencyKeys],
  ["paths and queries", paths],
  ["base paths", belowBasePaths],
];
