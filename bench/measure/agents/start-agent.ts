import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createReadStream } from "node:fs";
import { reasonOf } from "@tally/runtime";
import { firstProblem } from "@tally/contract";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { ownProcess } from "../machine/own-processes.ts";
import { nowMs, sessionHeader, type AgentLine } from "./agent-protocol.ts";
import { OpenLoad, PreparePhase, RunPhase } from "./agent-schemas.ts";
import { openSession, type AgentSession } from "./agent-session.ts";

interface AgentOptions {
  /** 0: a free port that the system chooses. */
  readonly port: number;
  readonly host: string;
  readonly token: string;
  readonly say: (line: string) => void;
}

const bodyBytesMax = 64 * 1024;
const connectionsMax = 32;
// A bench whose machine is gone is noticed by TCP.
const keepAliveAfterMs = 10_000;

const checks = { open: Compile(OpenLoad), prepare: Compile(PreparePhase), run: Compile(RunPhase) };

/** A load generator that a bench on this or another machine controls: agent-protocol.ts. Every request needs the token. */
export async function startAgent({ port, host, token, say }: AgentOptions) {
  const expected = digest(`Bearer ${token}`);
  let current: { readonly id: string; readonly session: AgentSession; readonly end: () => Promise<void> } | undefined;
  let isOpening = false;
  const app = fastify({ bodyLimit: bodyBytesMax, requestTimeout: 10_000, forceCloseConnections: true });
  app.server.maxConnections = connectionsMax;
  app.addHook("onRequest", async (request, reply) => {
    // Digests have one length, and comparing them takes the same time for every wrong token.
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) return;
    await reply.code(401).header("www-authenticate", "Bearer").send({ message: "expected the token of this agent" });
  });
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    void reply.code(error.statusCode ?? 500).send({ message: error.message });
  });

  app.get("/clock", () => ({ nowMs: nowMs() }));

  app.post("/load", async (request, reply) => {
    const asked = valid(checks.open, request.body);
    if (current !== undefined || isOpening) throw failure(409, "this agent has a load already");
    isOpening = true;
    try {
      await open(asked, request, reply);
    } finally {
      isOpening = false;
    }
  });

  async function open(asked: OpenLoad, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { raw } = reply;
    const send = (line: AgentLine): void => {
      if (raw.writable) raw.write(`${JSON.stringify(line)}\n`);
    };
    const id = randomUUID();
    const session = await openSession(asked, send);
    let ended: Promise<void> | undefined;
    // Never rejects: a load that cannot be ended cleanly must not end the agent.
    const end = (): Promise<void> => {
      ended ??= session
        .close()
        .then(
          () => say("the load has ended"),
          (error: unknown) => say(`the load has ended with an error: ${reasonOf(error)}`),
        )
        .finally(() => {
          current = undefined;
          raw.end();
        });
      return ended;
    };
    current = { id, session, end };
    reply.hijack();
    request.socket.setKeepAlive(true, keepAliveAfterMs);
    raw.on("close", () => void end());
    raw.writeHead(200, { "content-type": "application/x-ndjson" });
    const { domain, connections, urls } = asked.plan;
    say(
      `load of ${domain} for ${request.ip}: threads ${asked.first + 1} to ${asked.first + asked.threads} of ${asked.total}, which share ${connections} connections to ${urls.join(", ")}`,
    );
    send({ type: "open", session: id, process: ownProcess() });
    // It may have closed before it was listened to.
    if (raw.destroyed) await end();
  }

  app.post("/load/prepare", async (request, reply) => {
    sessionOf(request).prepare(valid(checks.prepare, request.body));
    return reply.code(202).send();
  });
  app.post("/load/run", async (request, reply) => {
    sessionOf(request).run(valid(checks.run, request.body));
    return reply.code(202).send();
  });
  app.get("/load/ids", async (request, reply) => {
    const { idsFile } = sessionOf(request);
    if (idsFile === undefined) throw failure(404, "no ids were kept");
    return reply.type("text/plain").send(createReadStream(idsFile));
  });
  app.delete("/load", async (request, reply) => {
    sessionOf(request);
    await current?.end();
    return reply.code(204).send();
  });

  function sessionOf(request: FastifyRequest): AgentSession {
    if (current === undefined || request.headers[sessionHeader] !== current.id)
      throw failure(404, "there is no such session");
    return current.session;
  }

  const url = await app.listen({ port, host });
  return {
    url,
    async close(): Promise<void> {
      await current?.end();
      await app.close();
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function valid<S extends TSchema>(check: ReturnType<typeof Compile<S>>, body: unknown): Static<S> {
  const value = body ?? null;
  if (check.Check(value)) return value;
  throw failure(400, firstProblem(check, value).message);
}

function failure(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}
