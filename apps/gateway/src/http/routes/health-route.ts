import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/client-error.ts";
import type { OwnDocument } from "../reference/documented.ts";

const Response = Type.Object({ status: Type.Literal("ok") });

const documented: OwnDocument = {
  path: "/health/live",
  summary: "the process is alive",
  description: "`/health/ready` and `/metrics` are on the operator ports: gateway 8083, writer 8081, ranker 8082",
  errors: ["STOPPING"],
  examples: { alive: { response: { status: "ok" } } },
};

/** For load balancers. Readiness and metrics are on the operator port, because they cost more than this. */
export function addHealthRoute(app: FastifyInstance, isStopping: () => boolean): void {
  const options = { config: { access: "open", documented }, schema: { response: { 200: Response } } } as const;
  app.get("/health/live", options, async () => {
    if (isStopping()) throw new ClientError(rejection("STOPPING"));
    return { status: "ok" } as const;
  });
}
