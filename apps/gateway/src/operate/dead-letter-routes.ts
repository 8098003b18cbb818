import type { Grant } from "@tally/access";
import {
  type Database,
  findLetterHead,
  findLetters,
  holdsEvent,
  newestLetters,
  replayOf,
  settleLetter,
  type DeadLetter,
  type LetterHead,
} from "@tally/database";
import type { Publisher } from "@tally/broker";
import { BatchIds, InvalidInput, NotFound, queuesOf, unpackEvent, type SqlReader } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { Type, type Static } from "typebox";
import { forbiddenInDomain, forbiddenStore } from "../admission/admission.ts";
import { rejection } from "../errors/catalogue.ts";
import { ClientError, reject, rejectionOfOutcome } from "../errors/reject.ts";
import type { OwnDocument } from "../http/reference/documented.ts";
import { addJsonRoute } from "./json-routes.ts";

export interface DeadLetterServers {
  /** The write endpoint: a replica may not have the newest letter. */
  readonly reader: SqlReader;
  /** With an account that may change dead letters; undefined: they can only be read. */
  readonly operator: Database | undefined;
  readonly publisher: Publisher;
  readonly namespace: string;
  /** The names of all domains. */
  readonly domains: readonly string[];
  /** Of the events of a domain, also of one that this gateway does not serve; 1 for one that it does not know. */
  readonly eventVersionOf: (domain: string) => number;
  /** How long the broker may take to confirm, in ms. */
  readonly confirmWithinMs: number;
}

const None = Type.Object({}, { additionalProperties: false });
const Params = Type.Object({ id: Type.String() });
const stages = Type.Enum(["event", "conflict", "message", "delivery"], {
  expected: "event, conflict, message or delivery",
});
const states = Type.Enum(["open", "replayed", "discarded"], { expected: "open, replayed or discarded" });
const Query = Type.Object(
  {
    domain: Type.Optional(Type.String()),
    stage: Type.Optional(stages),
    state: Type.Optional(states),
    limit: Type.Optional(Type.String({ pattern: "^[0-9]{1,4}$", expected: "an integer from 1 to 1000" })),
  },
  { additionalProperties: false },
);

const headFields = {
  id: Type.String(),
  domain: Type.String(),
  stage: stages,
  state: states,
  queue: Type.String(),
  messageId: Type.String(),
  reason: Type.String(),
  /** ISO 8601. */
  diedAt: Type.String(),
};
const Head = Type.Object(headFields);
const Letter = Type.Object({
  ...headFields,
  /** Of the stages event and conflict. */
  event: Type.Optional(Type.Unknown()),
  /** Of the other stages: the beginning of the message, in base64. */
  message: Type.Optional(Type.String()),
  /** Of the whole content. */
  bytes: Type.Integer(),
});

const listedDefault = 100;
const listedMax = 1000;
const shownBytes = 16 * 1024;
const settleWithinMs = 3000;

/**
 * GET /dead-letters, newest first, and GET /dead-letters/{id} need the scope `read` of the domain; without a domain, of
 * all. POST /dead-letters/{id}/replay and …/discard need `operate`. Both may be repeated: an event keeps its id.
 */
export function addDeadLetterRoutes(app: FastifyInstance, servers: DeadLetterServers): void {
  const { reader, domains } = servers;
  addJsonRoute(app, "/dead-letters", {
    documented: {
      summary: "the newest dead letters, 100 by default",
      description: "Needs the scope `read` of the domain, without one of all",
      errors: ["STORE_LIMITED", "UNREADABLE"],
      examples: {
        "of the purchases": { query: { domain: "purchases", state: "open" }, response: { deadLetters: [] } },
      },
    },
    params: None,
    query: Query,
    response: Type.Object({ deadLetters: Type.Array(Head) }),
    forbidden: ({ query: { domain = "*" } }, grant) => forbiddenInDomain(grant, domain, "read"),
    async respond({ query: { limit = String(listedDefault), ...filter } }) {
      const { domain } = filter;
      if (domain !== undefined && !domains.includes(domain)) {
        throw new InvalidInput("domain", `one of ${domains.join(", ")}`, domain.slice(0, 60));
      }
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
    query: None,
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
  addSettleRoute(app, "replay", servers, async ({ id }) => {
    const letter = await letterOf(reader, id);
    await send(servers, batches, letter);
    return letter;
  });
}

/** A POST that changes the state of a letter after `before`, which returns the letter as it was read last. */
function addSettleRoute(
  app: FastifyInstance,
  action: "replay" | "discard",
  { reader, operator }: DeadLetterServers,
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
  app.post<{ Params: Static<typeof Params> }>(
    path,
    {
      config: { access: "anyKey", ignoresBody: true, documented },
      schema: { params: Params, response: { 200: Head } },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { grant } = request;
      const limited = forbiddenStore(grant, undefined);
      if (limited !== undefined) return reject(reply, limited);
      const head = await visibleHead(reader, id, grant);
      const rejected = forbiddenInDomain(grant, head.domain, "operate");
      if (rejected !== undefined) return reject(reply, rejected);
      if (operator === undefined) return reject(reply, rejection("DEAD_LETTERS_READ_ONLY"));
      const letter = await before(head);
      await operator.transaction((transaction) => settleLetter(transaction, letter, state), {
        giveUpAfterMs: settleWithinMs,
      });
      return headOf((await findLetterHead(reader, head.id)) ?? letter);
    },
  );
}

/** Publishes a letter. Resolves when the broker has confirmed it. */
async function send(
  { publisher, namespace, eventVersionOf, confirmWithinMs }: DeadLetterServers,
  batches: BatchIds,
  letter: DeadLetter,
): Promise<void> {
  // The account of a gateway may not publish ranking messages, and the broker would close the channel of all events.
  if (letter.queue === queuesOf(namespace, letter.domain).rank.name) {
    throw new InvalidInput(
      "id",
      "a dead letter of an ingest queue; `pnpm tally dead-letters replay` sends others",
      letter.id,
    );
  }
  const deadline = Date.now() + confirmWithinMs;
  const message = replayOf(letter, namespace, batches, eventVersionOf(letter.domain));
  const outcome = await publisher.publish({ ...message, deadline });
  if (outcome !== "confirmed") throw new ClientError(rejectionOfOutcome(outcomes[outcome]));
}

const outcomes = { rejected: "busy", unroutable: "unavailable", expired: "unknown" } as const;

/**
 * A letter without its content. A letter of a domain that the key may neither read nor operate is as unknown as one
 * that does not exist: an id may be made of a client's key, so a difference would tell what others sent.
 */
async function visibleHead(reader: SqlReader, text: string, grant: Grant | undefined): Promise<LetterHead> {
  const id = text.toLowerCase();
  const head = isUuid(id) ? await findLetterHead(reader, id) : undefined;
  if (head === undefined) throw unknownLetter(text);
  const { domain } = head;
  if (grant?.may(domain, "read") === false && !grant.may(domain, "operate")) throw unknownLetter(text);
  return head;
}

async function letterOf(reader: SqlReader, text: string): Promise<DeadLetter> {
  const id = text.toLowerCase();
  const [letter] = isUuid(id) ? await findLetters(reader, [id]) : [];
  if (letter === undefined) throw unknownLetter(text);
  return letter;
}

function unknownLetter(text: string): NotFound {
  return new NotFound("id", "the id of a dead letter", text.slice(0, 60));
}

/** The id of a message's letter is a hash, so it need not be an event id. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
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
