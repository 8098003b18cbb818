import { firstProblem, InvalidInput, parseJsonBody, type PutRoute, type Sources } from "@tally/contract";
import type { Database } from "@tally/database";
import type { FastifyInstance } from "fastify";
import { Compile } from "typebox/compile";
import { rejection } from "../../errors/catalogue.ts";
import { reject } from "../../errors/reject.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";

const patience = { giveUpAfterMs: 3000 };
const rowsMax = 500;

/** A PUT of configuration. Responds when it is committed. */
export function addPutRoute(
  app: FastifyInstance,
  path: string,
  route: PutRoute,
  { domain, operator, sources }: Served,
): void {
  const { params: Params, body: Body, response } = route;
  const check = Compile(Body);
  const config = routeConfig(domain, route, { action: "operate", storeOf: ({ params }) => route.storeOf(params) });
  const schema = { params: Params, response: { 200: response } };
  const put = operator && groupPuts(route, operator, sources);
  app.put(path, { config, schema }, async ({ params, body }, reply) => {
    if (put === undefined) return reject(reply, rejection("CONFIGURATION_READ_ONLY"));
    // Null stands for no body.
    const value = (Buffer.isBuffer(body) ? parseJsonBody(body) : undefined) ?? null;
    if (!check.Check(value)) throw InvalidInput.of(firstProblem(check, value));
    return put(route.rowOf(params, value));
  });
}

/** Returns a function that writes one row. Requests that arrive during a transaction share the next one. Without this an
 * import of 100,000 lines waits for 100,000 commits. */
function groupPuts(route: PutRoute, operator: Database, sources: Sources): (row: unknown) => Promise<unknown> {
  const waiting: { readonly row: unknown; readonly result: PromiseWithResolvers<unknown> }[] = [];
  let isWriting = false;

  // Never runs twice at once: isWriting.
  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, rowsMax);
      const rows = group.map(({ row }) => row);
      try {
        const responses = await operator.transaction((transaction) => route.put(rows, transaction, sources), patience);
        for (const [at, { result }] of group.entries()) {
          const response = responses[at];
          if (response instanceof InvalidInput) result.reject(response);
          else result.resolve(response);
        }
      } catch (error) {
        for (const { result } of group) result.reject(error);
      }
    }
    isWriting = false;
  }

  return (row) => {
    const result = Promise.withResolvers<unknown>();
    waiting.push({ row, result });
    if (!isWriting) void writeAll();
    return result.promise;
  };
}
