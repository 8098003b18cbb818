import type { Grant } from "@tally/access";
import type { Rejection } from "../errors/catalogue.ts";

/** The checked values of a GET. */
export interface WatchedRequest {
  readonly params: unknown;
  readonly query: unknown;
}

/** A GET route of JSON that GET /live can repeat for its viewers. */
export interface WatchedRoute {
  /** The value of the response, before it is written as JSON. The same for everyone who may read it. Calls `noteRows` when it reads rows. */
  readonly respond: (request: WatchedRequest, noteRows: () => void) => Promise<unknown>;
  /** Why a key may not read it; undefined: it may. `grant` undefined: no keys are required. */
  readonly forbidden: (
    request: WatchedRequest,
    grant: Grant | undefined,
  ) => Rejection | undefined | Promise<Rejection | undefined>;
  /** It is repeated every `everyMs` however long it takes, because it waits more than it works. Absent: see feeds.ts. */
  readonly everyMs?: number;
}

declare module "fastify" {
  interface FastifyContextConfig {
    watched?: WatchedRoute;
  }
}
