import {
  findLetterHead,
  findLetters,
  holdsEvent,
  newestLetters,
  type DeadLetter,
  type LetterHead,
} from "@tally/database";
import { InvalidInput, NotFound, unpackEvent, type SqlReader } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { Type, type Static } from "typebox";
import { forbiddenStore, forbiddenToRead } from "../admission/admission.ts";
import { addJsonRoute } from "./json-routes.ts";

const None = Type.Object({}, { additionalProperties: false });
const Params = Type.Object({ id: Type.String() });
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

const headFields = {
  id: Type.String(),
  domain: Type.String(),
  stage: stages,
  state: states,
  queue: Type.String(),
  messageId: Type.String(),
  reason: Type.String(),
  diedAt: Type.String(),
};
const Head = Type.Object(headFields);
const Letter = Type.Object({
  ...headFields,
  // Of the stages event and conflict; of the others, the beginning of the message in base64. `bytes`: of all of it.
  event: Type.Optional(Type.Unknown()),
  message: Type.Optional(Type.String()),
  bytes: Type.Integer(),
});

const listedMax = 1000;
const shownBytes = 16 * 1024;

/** GET /dead-letters, newest first, and GET /dead-letters/{id} need the scope `read` of the domain; without a domain,
 * of all. `pnpm tally dead-letters` replays and discards. */
export function addDeadLetterRoutes(app: FastifyInstance, known: readonly string[], reader: SqlReader): void {
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
    forbidden: ({ query: { domain = "*" } }, grant) => forbiddenToRead(grant, domain, undefined),
    async respond({ query: { limit = "100", ...filter } }) {
      const { domain } = filter;
      if (domain !== undefined && !known.includes(domain)) {
        throw new InvalidInput("domain", `one of ${known.join(", ")}`, domain.slice(0, 60));
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
      const limited = forbiddenStore(grant, undefined);
      if (limited !== undefined || grant === undefined) return limited;
      const head = await findLetterHead(reader, uuidOf(id));
      // As unknown as one that does not exist: an id may be made of a client's key, so a difference would tell what
      // others sent.
      if (head === undefined || !grant.may(head.domain, "read")) throw unknownLetter(id);
      return undefined;
    },
    async respond({ params: { id } }) {
      const [letter] = await findLetters(reader, [uuidOf(id)]);
      if (letter === undefined) throw unknownLetter(id);
      return contentOf(letter);
    },
  });
}

/** The id of a message's letter is a hash, so it need not be an event id. */
function uuidOf(text: string): string {
  const id = text.toLowerCase();
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw unknownLetter(text);
  return id;
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
