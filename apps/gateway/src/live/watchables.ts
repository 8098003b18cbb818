import type { Grant } from "@tally/access";
import { firstProblem, InvalidInput } from "@tally/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import findMyWay from "find-my-way";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { Rejection } from "../errors/catalogue.ts";
import { routing } from "../http/routes/allowed-methods.ts";

/** The checked values of a GET. */
export type WatchedRequest = Readonly<Record<"params" | "query", unknown>>;

/** A GET route of JSON that GET /live can repeat for its viewers. */
export interface WatchedRoute {
  /** The value of the response, the same for everyone who may read it. */
  readonly respond: (request: WatchedRequest) => Promise<unknown>;
  /** Why a key may not read it; undefined: it may. `grant` undefined: no keys are required. */
  readonly forbidden: (
    request: WatchedRequest,
    grant: Grant | undefined,
  ) => Rejection | undefined | Promise<Rejection | undefined>;
  /** It is repeated this often however long it takes, because it waits more than it works, or costs much. Absent: see
   * feeds.ts. */
  readonly everyMs?: number | undefined;
}

type Serialize = (value: unknown) => string;

/** A path that is watched, with its checked values. */
export interface Watchable {
  readonly route: WatchedRoute;
  readonly request: WatchedRequest;
  readonly errorKey: "message" | "msg";
  /** Writes the response as the route itself does. Compiled at the first call: about a millisecond. */
  readonly serializer: (reply: FastifyReply) => Serialize;
}

interface Entry extends Omit<Watchable, "request"> {
  readonly check: (field: "params" | "querystring", value: unknown) => void;
}

const expected = "a path of a GET route with a JSON response, such as /stores/7/top-items?limit=10";
const pathCharactersMax = 2000;

export type Watchables = ReturnType<typeof watchablesOf>;

/** The GET routes that can be watched. Call it before routes are added. */
export function watchablesOf(app: FastifyInstance) {
  const router = findMyWay(routing);
  const entries = new Map<string, Entry>();

  app.addHook("onRoute", ({ method, url, config, schema }) => {
    const { response: responses } = schema ?? {};
    const route = config?.watched;
    const response: unknown = isObject(responses) ? Reflect.get(responses, 200) : undefined;
    if (route === undefined || !isObject(response) || ![method].flat().includes("GET")) return;
    let serialize: Serialize | undefined;
    const checks = { params: compiled(schema?.params), querystring: compiled(schema?.querystring) };
    entries.set(url, {
      route,
      errorKey: config?.errorKey ?? "message",
      // Its type allows objects only; a schema may describe any value.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      serializer: (reply) => (serialize ??= reply.compileSerializationSchema({ ...response }) as Serialize),
      check(field, value) {
        const validator = checks[field];
        if (validator?.Check(value) === false) throw InvalidInput.of(firstProblem(validator, value));
      },
    });
    router.on("GET", url, () => undefined, url);
  });

  return {
    /** Throws InvalidInput, naming `field`, for a path without such a route, and for values that its schemas reject. */
    find(field: string, path: string): Watchable {
      const found = path.length <= pathCharactersMax ? router.find("GET", path) : null;
      const entry = found === null ? undefined : entries.get(String(found.store));
      if (found === null || entry === undefined) throw new InvalidInput(field, expected, path.slice(0, 200));
      const { check, ...rest } = entry;
      check("params", found.params);
      check("querystring", found.searchParams);
      return { ...rest, request: { params: found.params, query: found.searchParams } };
    },
  };
}

function compiled(schema: unknown) {
  return isObject(schema) ? Compile(schema) : undefined;
}

function isObject(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null;
}

declare module "fastify" {
  interface FastifyContextConfig {
    watched?: WatchedRoute;
  }
}
