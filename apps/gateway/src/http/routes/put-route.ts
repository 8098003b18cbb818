import { firstProblem, InvalidInput, type PutRoute } from "@tally/contract";
import type { Database } from "@tally/database";
import type { FastifyInstance } from "fastify";
import { Compile } from "typebox/compile";
import { rejection } from "../../errors/catalogue.ts";
import { reject } from "../../errors/reject.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";
import { parseJsonBody } from "../body/json-body.ts";

const patience = { giveUpAfterMs: 3000 };
const rowsMax = 500;

/** A PUT of configuration. Responds when it is committed. */
export function addPutRoute(app: FastifyInstance, path: string, route: PutRoute, { domain, operator }: Served): void {
  const { params: Params, body: Body, response } = route;
  const check = Compile(Body);
  const config = routeConfig(domain, route, { action: "operate", storeOf: ({ params }) => route.storeOf(params) });
  const schema = { params: Params, response: { 200: response } };
  const puts = operator && new GroupPuts(route, operator);
  app.put(path, { config, schema }, async ({ params, body }, reply) => {
    if (puts === undefined) return reject(reply, rejection("CONFIGURATION_READ_ONLY"));
    // Null stands for no body.
    const value = (Buffer.isBuffer(body) ? parseJsonBody(body) : undefined) ?? null;
    if (!check.Check(value)) throw InvalidInput.of(firstProblem(check, value));
    return puts.put(route.rowOf(params, value));
  });
}

interface Waiting {
  readonly row: unknown;
  readonly result: PromiseWithResolvers<unknown>;
}

/** Requests that arrive during a transaction share the next one. Without this an import of 100,000 lines waits for
 * 100,000 commits. */
class GroupPuts {
  readonly #route: PutRoute;
  readonly #operator: Database;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(route: PutRoute, operator: Database) {
    this.#route = route;
    this.#operator = operator;
  }

  put(row: unknown): Promise<unknown> {
    const result = Promise.withResolvers<unknown>();
    this.#waiting.push({ row, result });
    if (!this.#isWriting) void this.#writeAll();
    return result.promise;
  }

  // Never runs twice at once: put() looks at #isWriting.
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, rowsMax);
      const rows = group.map(({ row }) => row);
      try {
        const responses = await this.#operator.transaction(
          (transaction) => this.#route.put(rows, transaction),
          patience,
        );
        for (const [at, { result }] of group.entries()) {
          const response = responses[at];
          if (response instanceof InvalidInput) result.reject(response);
          else result.resolve(response);
        }
      } catch (error) {
        for (const { result } of group) result.reject(error);
      }
    }
    this.#isWriting = false;
  }
}
