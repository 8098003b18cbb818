import { firstProblem, InvalidInput, type PutRoute } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { Compile } from "typebox/compile";
import { rejection } from "../../errors/catalogue.ts";
import { reject } from "../../errors/reject.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";
import { parseJsonBody } from "../body/json-body.ts";

const patience = { giveUpAfterMs: 3000 };

/** A PUT of configuration. Responds when it is committed. */
export function addPutRoute(app: FastifyInstance, path: string, route: PutRoute, { domain, operator }: Served): void {
  const { params: Params, body: Body, response } = route;
  const check = Compile(Body);
  const config = routeConfig(domain, route, { action: "operate", storeOf: ({ params }) => route.storeOf(params) });
  const schema = { params: Params, response: { 200: response } };
  app.put(path, { config, schema }, async ({ params, body }, reply) => {
    if (operator === undefined) return reject(reply, rejection("CONFIGURATION_READ_ONLY"));
    // Null stands for no body.
    const value = (Buffer.isBuffer(body) ? parseJsonBody(body) : undefined) ?? null;
    if (!check.Check(value)) throw InvalidInput.of(firstProblem(check, value));
    return operator.transaction((transaction) => route.put(params, value, transaction), patience);
  });
}
