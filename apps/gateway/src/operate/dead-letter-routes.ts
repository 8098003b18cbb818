import type { Grant } from "@tally/access";
import { findLetterHead, findLetters, holdsEvent, newestLetters, replayOf, settleLetter } from "@tally/database";
import { letterId, type DeadLetter, type LetterHead } from "@tally/database";
import { BatchIds, InvalidInput, NotFound, queuesOf, unpackEvent, type SqlReader } from "@tally/contract";
import { domains as allDomains } from "@tally/domains";
import type { FastifyInstance } from "fastify";
import { Type, type Static } from "typebox";
import type { GatewayServers } from "../connect-servers.ts";
import { forbiddenInDomain, forbiddenStore } from "../admission/admission.ts";
import { rejection } from "../errors/catalogue.ts";
import { ClientError, reject, rejectionOfOutcome } from "../errors/reject.ts";
import type { OwnDocument } from "../http/reference/documented.ts";
import { commitOutcomes } from "../ingest/group-commit.ts";
import { addJsonRoute } from "./json-routes.ts";

const Params = Type.Object({ id: Type.String() });
const stages = Type.Enum(["rejected", "conflict", "message", "delivery"], {
  expected: "rejected, conflict, message or delivery",
});
const states = Type.Enum(["open", "parked", "replayed", "discarded"], {
  expected: "open, parked, replayed or discarded",
});
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

const Head = Type.Object({
  id: Type.String(),
  domain: Type.String(),
  stage: stages,
  state: states,
  queue: Type.String(),
  messageId: Type.String(),
  reason: Type.String(),
  diedAt: Type.String(),
});
const Letter = Type.Object({
  ...Head.properties,
  // For the stages rejected and conflict; the others have the beginning of the message in base64. `bytes`: the whole size.
  event: Type.Optional(Type.Unknown()),
  message: Type.Optional(Type.String()),
  bytes: Type.Integer(),
});

const listedMax = 1000;
const shownBytes = 16 * 1024;
const settleWithinMs = 3000;

/** GET /dead-letters, newest first, and GET /dead-letters/{id} need the scope `read` of the domain; without a domain,
 * of all. POST /dead-letters/{id}/replay and …/discard need `operate`. Both may be repeated: an event keeps its id. */
export function addDeadLetterRoutes(app: FastifyInstance, servers: GatewayServers): void {
  const { config, publisher } = servers;
  const reader = servers.database.writer;
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
    response: Type.Object({ deadLetters: Type.Array(Head) }),
    forbidden: ({ query: { domain = "*" } }, grant) => forbiddenInDomain(grant, domain, "read"),
    async respond({ query: { limit = "100", ...filter } }) {
      const { domain } = filter;
      const known: readonly string[] = config.domains;
      if (domain !== undefined && !known.includes(domain))
        throw new InvalidInput("domain", `one of ${known.join(", ")}`, domain.slice(0, 60));
      const count = Number(limit);
      if (count < 1 || count > listedMax) throw new InvalidInput("limit", `an integer from 1 to ${listedMax}`, limit);
      return { deadLetters: (await newestLetters(reader, filter, count)).map(headOf) };
    },
  });

  addJsonRoute(app, "/dead-letters/:id", {
    documented: {
      summary: "a dead letter",
      description: "Its event, or the first 16 KiB of its message in base64. Needs the scope `read` of its domain",
      errors: ["STORE_LIMITED", "NOT_FOUND", "UNREADABLE"],
    },
    params: Params,
    response: Letter,
    async forbidden({ params: { id } }, grant) {
      if (grant === undefined) return undefined;
      const limited = forbiddenStore(grant, undefined);
      return limited ?? forbiddenInDomain(grant, (await visibleHead(reader, id, grant)).domain, "read");
    },
    respond: async ({ params: { id } }) => contentOf(await letterOf(reader, id)),
  });

  addSettleRoute(app, "discard", servers, async (head) => head);
  const batches = new BatchIds();
  const eventVersions = new Map(allDomains.map(({ name, eventVersion }) => [name, eventVersion]));
  const queues = new Set(config.domains.map((domain) => queuesOf(config.namespace, domain).ingest.name));
  addSettleRoute(app, "replay", servers, async ({ id }) => {
    const letter = await letterOf(reader, id);
    const deadline = performance.now() + config.confirmWithinMs;
    const message = replayOf(letter, config.namespace, batches, eventVersions.get(letter.domain) ?? 1);
    // To any other queue a gateway may not publish: the broker would close the channel of all events.
    if (!queues.has(message.queue)) {
      const expected = "a dead letter of an ingest queue of DOMAINS; `pnpm tally dead-letters replay` sends others";
      throw new InvalidInput("id", expected, letter.id);
    }
    const outcome = await publisher.publish({ ...message, deadline });
    if (outcome !== "confirmed") throw new ClientError(rejectionOfOutcome(commitOutcomes[outcome]));
    return letter;
  });
}

/** A POST that changes the state of a letter after `before`, which returns the letter as it was read last. */
function addSettleRoute(
  app: FastifyInstance,
  action: "replay" | "discard",
  { database: { writer: reader }, operator }: GatewayServers,
  before: (head: LetterHead) => Promise<LetterHead>,
): void {
  const state = action === "replay" ? "replayed" : "discarded";
  const path = `/dead-letters/:id/${action}`;
  const documented: OwnDocument = {
    path,
    summary: action === "replay" ? "publishes a dead letter again" : "keeps a dead letter as it is",
    description: "Needs the scope `operate` of its domain, and `OPERATOR_DATABASE_URL`. May be repeated",
    errors: [
      "STORE_LIMITED",
      "NOT_FOUND",
      "DEAD_LETTERS_READ_ONLY",
      "UNREADABLE",
      "BODY_TOO_LARGE",
      "BODY_CUT_SHORT",
      "BODIES_FULL",
      ...(action === "replay" ? (["BUSY", "BROKER_UNAVAILABLE", "NOT_CONFIRMED"] as const) : []),
    ],
  };
  const config = { access: "anyKey", ignoresBody: true, documented } as const;
  const schema = { params: Params, response: { 200: Head } };
  app.post<{ Params: Static<typeof Params> }>(path, { config, schema }, async ({ grant, params: { id } }, reply) => {
    const limited = forbiddenStore(grant, undefined);
    if (limited !== undefined) return reject(reply, limited);
    const head = await visibleHead(reader, id, grant);
    const rejected = forbiddenInDomain(grant, head.domain, "operate");
    if (rejected !== undefined) return reject(reply, rejected);
    if (operator === undefined) return reject(reply, rejection("DEAD_LETTERS_READ_ONLY"));
    const letter = await before(head);
    const giveUp = { giveUpAfterMs: settleWithinMs };
    await operator.transaction((transaction) => settleLetter(transaction, letter, state), giveUp);
    return headOf((await findLetterHead(reader, head.id)) ?? letter);
  });
}

/** A letter without its content. A letter of a domain that the key may neither read nor operate is as unknown as one
 * that does not exist: an id may be made of a client's key, so a difference would tell what others sent. */
async function visibleHead(reader: SqlReader, text: string, grant: Grant | undefined): Promise<LetterHead> {
  const id = text.toLowerCase();
  const head = letterId.test(id) ? await findLetterHead(reader, id) : undefined;
  if (head === undefined) throw unknownLetter(text);
  const { domain } = head;
  if (grant?.may(domain, "read") === false && !grant.may(domain, "operate")) throw unknownLetter(text);
  return head;
}

async function letterOf(reader: SqlReader, text: string): Promise<DeadLetter> {
  const id = text.toLowerCase();
  const [letter] = letterId.test(id) ? await findLetters(reader, [id]) : [];
  if (letter === undefined) throw unknownLetter(text);
  return letter;
}

function unknownLetter(text: string): NotFound {
  return new NotFound("id", "the id of a dead letter", text.slice(0, 60));
}

function headOf({ id, domain, stage, state, queue, messageId, reason, diedAt }: LetterHead): Static<typeof Head> {
  return { id, domain, stage, state, queue, messageId, reason, diedAt: new Date(diedAt).toISOString() };
}

function contentOf(letter: DeadLetter): Static<typeof Letter> {
  const { body } = letter;
  const content = holdsEvent(letter)
    ? { event: JSON.parse(unpackEvent(body).json) as unknown }
    : { message: body.toString("base64", 0, shownBytes) };
  return { ...headOf(letter), ...content, bytes: body.length };
}
