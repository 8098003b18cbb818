import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Grant } from "@tally/access";
import { InvalidInput } from "@tally/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type, type TSchema } from "typebox";
import { keyOfRequest, type AdmissionOptions } from "../admission/admission.ts";
import { rejection, type Rejection } from "../errors/catalogue.ts";
import { reject, rejectionOfError } from "../errors/reject.ts";
import type { OwnDocument } from "../http/reference/documented.ts";
import { clientOf } from "../http/connection/client-address.ts";
import { busyLoop, Feeds, type FeedSource, type WatchedResponse } from "./feeds.ts";
import { beatFrame, Stream, Streams, type StreamsOptions } from "./streams.ts";
import type { Watchable, Watchables } from "./watchables.ts";

const watchesMax = 8;
const bodyCharactersMax = 256 * 1024;
const Query = Type.Object({
  watch: Type.Optional(
    Type.Unknown({
      expected: `1 to ${watchesMax} paths of GET routes with a JSON response`,
      documented: { type: "array", items: { type: "string" }, minItems: 1, maxItems: watchesMax },
    }),
  ),
});
const documented: OwnDocument = {
  path: "/live",
  summary: "the responses of up to 8 GETs, whenever one changes, as server-sent events",
  description: "The key needs the rights of each path",
  type: "text/event-stream",
  errors: [
    "STORE_FORBIDDEN",
    "STORE_LIMITED",
    "NOT_FOUND",
    "UNREADABLE",
    "STREAMS_FULL",
    "STREAMS_OF_ADDRESS_FULL",
    "WATCH_TOO_LARGE",
  ],
};

export interface LiveOptions extends StreamsOptions {
  readonly watchables: Watchables;
  readonly check: AdmissionOptions["check"];
}

/** GET /live: server-sent events with the responses of up to 8 GETs, at the start and whenever one changes. */
export function addLiveRoute(app: FastifyInstance, { watchables, check, ...limits }: LiveOptions): void {
  const streams = new Streams(limits);
  const feeds = new Feeds(busyLoop());
  app.addHook("preClose", (done) => {
    streams.close();
    done();
  });
  app.get<{ Querystring: { readonly watch?: unknown } }>(
    "/live",
    // A HEAD would have no end.
    {
      exposeHeadRoute: false,
      config: { access: "anyKey", isStream: true, documented },
      schema: { querystring: Query },
    },
    async (request, reply) => {
      const paths = pathsOf(request.query.watch);
      const watched = paths.map((path) => watchables.find("watch", path));
      const address = clientOf(request.ip);
      const rejected = (await forbidden(watched, request.grant)) ?? streams.full(address, feeds.hasRoom);
      if (rejected !== undefined) return reject(reply, rejected);
      const { socket } = request.raw;
      // Closed during the checks: there would be no "close" any more.
      if (socket.destroyed) return reply.hijack();
      const key = keyOfRequest(request.headers);
      const isAllowed = (): boolean => check === undefined || (key !== undefined && check(key) !== "invalid");
      const response = openEvents(reply);
      const stream = new Stream(response);
      const release = streams.add(stream, address, isAllowed);
      for (const [index, watchable] of watched.entries()) {
        const feed = feeds.join(paths[index] ?? "", stream, () => sourceOf(watchable, reply));
        stream.show(feed, index);
      }
      atClose(socket, () => {
        release();
        for (const path of paths) feeds.leave(path, stream);
      });
      return reply;
    },
  );
}

function pathsOf(watch: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(watch) ? watch : watch === undefined ? [] : [watch];
  const paths = values.filter((value) => typeof value === "string");
  if (paths.length > 0 && paths.length <= watchesMax) return paths;
  throw new InvalidInput("watch", `1 to ${watchesMax} paths of GET routes`, `${paths.length} of them`);
}

async function forbidden(watched: readonly Watchable[], grant: Grant | undefined): Promise<Rejection | undefined> {
  for (const { route, request } of watched) {
    const rejected = await route.forbidden(request, grant);
    if (rejected !== undefined) return rejected;
  }
  return undefined;
}

/** Begins the response. It is the last one on its connection, so that the end of the stream closes the connection. */
function openEvents(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  raw.shouldKeepAlive = false;
  // Those of the rate limit.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    // A proxy that collects or compresses events would delay them.
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  raw.write(beatFrame());
  return raw;
}

const releasesOf = new WeakMap<Socket, (() => void)[]>();

/**
 * Calls `release` when the connection closes. Not the response: Node emits no "close" for one that waits for an earlier
 * response of its connection. One pair of listeners serves all streams of a connection.
 */
function atClose(socket: Socket, release: () => void): void {
  const known = releasesOf.get(socket);
  if (known !== undefined) return void known.push(release);
  const releases = [release];
  releasesOf.set(socket, releases);
  socket.once("close", () => {
    for (const one of releases) one();
  });
  // Every other response is finished for a client that has closed its sending side. A stream has no end.
  socket.once("end", () => socket.destroy());
}

type Serialize = (value: unknown) => string;
const serializers = new WeakMap<TSchema, Serialize>();

/** Writes a value as the route itself does. Compiled once for each schema: about a millisecond. */
function serializerOf(schema: TSchema, reply: FastifyReply): Serialize {
  const known = serializers.get(schema);
  if (known !== undefined) return known;
  // Its type allows objects only; a schema may describe any value.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const made = reply.compileSerializationSchema({ ...schema }) as Serialize;
  serializers.set(schema, made);
  return made;
}

function sourceOf({ route, request, errorKey, response }: Watchable, reply: FastifyReply): FeedSource {
  const serialize = serializerOf(response, reply);
  const {
    log,
    request: { id: requestId },
  } = reply;
  let isLogged = false;
  const rejected = ({ status, message }: Rejection): WatchedResponse => ({
    status,
    body: JSON.stringify({ [errorKey]: message }),
  });
  return {
    everyMs: route.everyMs,
    async read() {
      try {
        let isOfRows = false;
        const body = serialize(await route.respond(request, () => (isOfRows = true)));
        isLogged = false;
        if (body.length <= bodyCharactersMax) return { status: 200, body, isOfRows };
        return rejected(rejection("WATCH_TOO_LARGE", { max: bodyCharactersMax }));
      } catch (error) {
        const known = rejectionOfError(error);
        if (known !== undefined) return rejected(known);
        if (!isLogged) log.error({ err: error, requestId }, "a watched request failed");
        isLogged = true;
        return rejected(rejection("INTERNAL", { requestId }));
      }
    },
  };
}
