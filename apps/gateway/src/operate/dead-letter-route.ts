import { newestLetters, type LetterHead } from "@tally/database";
import { InvalidInput, type SqlReader } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { Type, type Static } from "typebox";
import { forbiddenToRead } from "../admission/admission.ts";
import { addJsonRoute } from "./json-routes.ts";

const stages = Type.Enum(["event", "conflict", "message", "delivery"], {
  expected: "event, conflict, message or delivery",
});
const states = Type.Enum(["open", "replayed", "discarded"], { expected: "open, replayed or discarded" });
const limits = { pattern: "^[0-9]{1,4}$", expected: "an integer from 1 to 1000" };
const Query = Type.Object(
  {
    domain: Type.Optional(Type.String()),
    stage: Type.Optional(stages),
    state: Type.Optional(states),
    limit: Type.Optional(Type.String(limits)),
  },
  { additionalProperties: false },
);

const Letter = Type.Object({
  id: Type.String(),
  domain: Type.String(),
  stage: stages,
  state: states,
  queue: Type.String(),
  messageId: Type.String(),
  reason: Type.String(),
  diedAt: Type.String(),
});

const listedMax = 1000;

/** GET /dead-letters, newest first, without their content: `pnpm tally dead-letters` shows it, replays and discards. */
export function addDeadLetterRoute(app: FastifyInstance, known: readonly string[], reader: SqlReader): void {
  addJsonRoute(app, "/dead-letters", {
    documented: {
      summary: "the newest dead letters, 100 by default",
      description: "Needs the scope `read` of the domain, without one of all",
      errors: ["STORE_LIMITED", "UNREADABLE"],
      examples: {
        "of the purchases": { query: { domain: "purchases", state: "open" }, response: { deadLetters: [] } },
      },
    },
    query: Query,
    response: Type.Object({ deadLetters: Type.Array(Letter) }),
    forbidden: ({ query: { domain = "*" } }, grant) => forbiddenToRead(grant, domain, undefined),
    async respond({ query: { limit = "100", ...filter } }) {
      const { domain } = filter;
      if (domain !== undefined && !known.includes(domain)) {
        throw new InvalidInput("domain", `one of ${known.join(", ")}`, domain.slice(0, 60));
      }
      const count = Number(limit);
      if (count < 1 || count > listedMax) throw new InvalidInput("limit", `an integer from 1 to ${listedMax}`, limit);
      return { deadLetters: (await newestLetters(reader, filter, count)).map(shown) };
    },
  });
}

function shown({ id, domain, stage, state, queue, messageId, reason, diedAt }: LetterHead): Static<typeof Letter> {
  return { id, domain, stage, state, queue, messageId, reason, diedAt: new Date(diedAt).toISOString() };
}
