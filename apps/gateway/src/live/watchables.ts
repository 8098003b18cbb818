import type { Grant } from "@tally/access";
import { firstProblem, InvalidInput } from "@tally/contract";
import type { FastifyInstance, RouteOptions } from "fastify";
import findMyWay from "find-my-way";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { Rejection } from "../errors/catalogue.ts";
import { routing } from "../http/routes/allowed-methods.ts";

/** A path that is watched, with its checked values. */
export interface Watchable {
  readonly route: WatchedRoute;
  readonly request: WatchedRequest;
  readonly errorKey: "message" | "msg";
  /** The schema of the response. */
  readonly response: TSchema;
}

interface Entry extends Omit<Watchable, "request"> {
  readonly check: (field: "params" | "querystring", value: unknown) => void;
}

const expected = "a path of a GET route with a JSON response, such as /stores/7/top-items?limit=10";
const pathCharactersMax = 2000;

/** The GET routes that can be watched. Create it before routes are added. */
export class Watchables {
  readonly #router = findMyWay(routing);
  readonly #entries = new Map<string, Entry>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", (options) => this.#add(options));
  }

  /**
   * Throws InvalidInput for a path without such a route, and for values that its schemas reject. `field` is in the
   * message.
   */
  find(field: string, path: string): Watchable {
    const found = path.length <= pathCharactersMax ? this.#router.find("GET", path) : null;
    const entry = found === null ? undefined : this.#entries.get(String(found.store));
    if (found === null || entry === undefined) throw new InvalidInput(field, expected, path.slice(0, 200));
    const { check, ...rest } = entry;
    check("params", found.params);
    check("querystring", found.searchParams);
    return { ...rest, request: { params: found.params, query: found.searchParams } };
  }

  #add({ method, url, config, schema }: RouteOptions): void {
    const watched = config?.watched;
    const response = responseOf(schema?.response);
    if (watched === undefined || response === undefined || ![method].flat().includes("GET")) return;
    const checks = { params: compiled(schema?.params), querystring: compiled(schema?.querystring) };
    this.#entries.set(url, {
      route: watched,
      errorKey: config?.errorKey ?? "message",
      response,
      check(field, value) {
        const validator = checks[field];
        if (validator?.Check(value) === false) throw InvalidInput.of(firstProblem(validator, value));
      },
    });
    this.#router.on("GET", url, () => undefined, url);
  }
}

function responseOf(responses: unknown): TSchema | undefined {
  const schema: unknown = typeof responses === "object" && responses !== null ? Reflect.get(responses, 200) : undefined;
  return isSchema(schema) ? schema : undefined;
}

function compiled(schema: unknown) {
  return isSchema(schema) ? Compile(schema) : undefined;
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null;
}

/** The checked values of a GET. */
export interface WatchedRequest {
  readonly params: unknown;
  readonly query: unknown;
}

/** A GET route of JSON that GET /live can repeat for its viewers. */
export interface WatchedRoute {
  /**
   * The value of the response, before it is written as JSON. The same for everyone who may read it. Calls `noteRows`
   * when it reads rows.
   */
  readonly respond: (request: WatchedRequest, noteRows: () => void) => Promise<unknown>;
  /** Why a key may not read it; undefined: it may. `grant` undefined: no keys are required. */
  readonly forbidden: (
    request: WatchedRequest,
    grant: Grant | undefined,
  ) => Rejection | undefined | Promise<Rejection | undefined>;
  /**
   * It is repeated every `everyMs` however long it takes, because it waits more than it works. Absent: see feeds.ts.
   */
  readonly everyMs?: number;
}

declare module "fastify" {
  interface FastifyContextConfig {
    watched?: WatchedRoute;
  }
}
