import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { firstProblem } from "@tally/pipeline";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TrustedProxies } from "../admission/trust-proxy.ts";
import { answerBroken } from "./answer-broken.ts";
import { addContentTypes } from "./content.ts";
import { refusalOfError } from "./errors.ts";
import { addOrderlyClose } from "./orderly-close.ts";
import { refuse } from "./refuse.ts";

export interface ServerOptions {
  readonly log: FastifyBaseLogger;
  readonly bodyBytesMax: number;
  /** Whose X-Forwarded-For is believed. */
  readonly trustProxy: TrustedProxies;
  /** The longest time from a whole request to its answer. */
  readonly answeredWithinMs: number;
  readonly onRefused: (status: number) => void;
  readonly errorKeyOf: (url: string) => "message" | "msg";
}

/** A Fastify that reads, checks and refuses as the contract says; it has no routes yet. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { log, bodyBytesMax, trustProxy, answeredWithinMs, onRefused, errorKeyOf } = options;
  const answerError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalOfError(error);
    if (refusal === undefined) log.error({ err: error, requestId: request.id, url: request.url }, "a request failed");
    // Fastify would close the connection with the rest unread, and who still sends that would lose this answer. So Node reads and drops it.
    if (refusal?.status === 413) reply.removeHeader("connection");
    return refuse(
      reply,
      refusal ?? { status: 500, message: `something is wrong here; tell us the request id ${request.id}` },
    );
  };

  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than the rest of the logging: our lines name the request themselves.
    childLoggerFactory: (logger) => logger,
    requestIdHeader: "x-request-id",
    bodyLimit: bodyBytesMax,
    trustProxy,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // Longer than any value we take, so that a huge number gets its 400 and not a 404.
      maxParamLength: 2000,
    },
    // Longer than a load balancer's 60 s: we must not be the first to close an idle connection (else its clients get 502).
    keepAliveTimeout: 65_000,
    requestTimeout: 30_000,
    // While it stops, a request on a connection that is still open is served, and its answer closes the connection.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerBroken(error, socket, onRefused),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  });
  app.decorate("onRefused", onRefused);
  app.decorate("errorKeyOf", errorKeyOf);
  addOrderlyClose(app, answeredWithinMs);
  addContentTypes(app);
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    const check = Compile(schema);
    return (value: unknown) => {
      if (check.Check(value)) return { value };
      return { error: new InvalidRequest(firstProblem(check, value).message, httpPart) };
    };
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) =>
    refuse(reply, { status: 404, message: `no such path: ${request.method} ${request.url.slice(0, 200)}` }),
  );
  return app;
}

/** A request that breaks its route's schema; its message names the field. */
class InvalidRequest extends Error {
  readonly code = "INVALID_INPUT";
  readonly part: string | undefined;

  constructor(message: string, part: string | undefined) {
    super(message);
    this.part = part;
  }
}
