import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { firstProblem, InvalidInput } from "@tally/pipeline";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { allowedMethods, routing } from "./allowed-methods.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { addCompression } from "./compress-answers.ts";
import { addContentTypes } from "./content.ts";
import { refusalOfError } from "./errors.ts";
import { addOrderlyClose } from "./orderly-close.ts";
import { refuse } from "./refuse.ts";
import { Wire, type WireOptions } from "./wire.ts";

export interface ServerOptions extends WireOptions {
  readonly log: FastifyBaseLogger;
  readonly bodyBytesMax: number;
  /** The memory that bodies may hold. */
  readonly bodies: ByteBudget;
  /** The proxies whose X-Forwarded-For contains the client address. */
  readonly isProxy: (address: string) => boolean;
  /** The longest time from a whole request to its answer. */
  readonly answeredWithinMs: number;
}

/** A Fastify that reads, checks and refuses as the contract says; it has no routes yet. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { log, bodyBytesMax, bodies, isProxy, answeredWithinMs, onRefused, errorKeyOf } = options;
  const answerError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalOfError(error);
    if (refusal === undefined) log.error({ err: error, requestId: request.id, url: request.url }, "a request failed");
    return refuse(
      reply,
      refusal ?? { status: 500, message: `something is wrong here; tell us the request id ${request.id}` },
    );
  };

  const wire = new Wire(options);
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than the rest of the logging: our lines name the request themselves.
    childLoggerFactory: (logger) => logger,
    requestIdHeader: "x-request-id",
    bodyLimit: bodyBytesMax,
    trustProxy: isProxy,
    routerOptions: routing,
    // While it stops, a request on a connection that is still open is served, and its answer closes the connection.
    return503OnClosing: false,
    serverFactory: (handle) => wire.serve(handle),
    clientErrorHandler: (error, socket) => wire.broken(error, socket),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  });
  app.decorate("onRefused", onRefused);
  app.decorate("errorKeyOf", errorKeyOf);
  addOrderlyClose(app, answeredWithinMs);
  addCompression(app);
  addContentTypes(app, bodies);
  app.setValidatorCompiler<TSchema>(({ schema }) => {
    const check = Compile(schema);
    return (value: unknown) => {
      if (check.Check(value)) return { value };
      return { error: InvalidInput.of(firstProblem(check, value)) };
    };
  });
  app.setErrorHandler(answerError);
  const methodsOf = allowedMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const { method, url } = request;
    const allowed = methodsOf(url);
    if (allowed.length === 0)
      return refuse(reply, { status: 404, message: `no such path: ${method} ${url.slice(0, 200)}` });
    reply.header("allow", allowed.join(", "));
    return refuse(reply, { status: 405, message: `method: expected ${allowed.join(" or ")}, got ${method}` });
  });
  return app;
}
