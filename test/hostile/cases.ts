import { belowBasePaths } from "./base-paths.ts";
import { bodies } from "./bodies.ts";
import { bulk } from "./bulk.ts";
import { bulkKeys } from "./bulk-keys.ts";
import { compressed } from "./compressed.ts";
import { formParts } from "./form-parts.ts";
import { forms } from "./forms.ts";
import { framing } from "./framing.ts";
import { headerFields } from "./header-fields.ts";
import type { HostileCase } from "./hostile-case.ts";
import { idempotencyKeys } from "./idempotency-keys.ts";
import { jsonValues } from "./json-values.ts";
import { paths } from "./paths.ts";
import { requestLines } from "./request-lines.ts";
import { order } from "./response-order.ts";

/** Every hostile case, by topic. */
export const topics: readonly (readonly [string, readonly HostileCase[]])[] = [
  ["request lines", requestLines],
  ["header fields", headerFields],
  ["framing", framing],
  ["order", order],
  ["bodies", bodies],
  ["Content-Encoding", compressed],
  ["values of JSON bodies", jsonValues],
  ["many sales", bulk],
  ["parts of forms", formParts],
  ["forms", forms],
  ["keys", idempotencyKeys],
  ["keys of many sales", bulkKeys],
  ["paths and queries", paths],
  ["base paths", belowBasePaths],
];
