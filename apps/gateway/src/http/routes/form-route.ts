import { setImmediate as nextTurn } from "node:timers/promises";
import { Busboy } from "@fastify/busboy";
import { encodeEvent, eventIdOfKey, InvalidInput, newEventId } from "@tally/contract";
import type { Event, Form, FormPart, FormRoute } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError, reject, rejectionOfOutcome } from "../../errors/reject.ts";
import { committed } from "../../ingest/intake.ts";
import { idempotencyKey, keyHeader } from "../../keys/keys.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";
import { unsupported } from "../body/content.ts";

/** One form, one event. Responds when its batch is confirmed; the event is found from then on. */
export function addFormRoute(app: FastifyInstance, path: string, route: FormRoute<Event>, served: Served): void {
  const { domain, commit, keys, finder, traceOf } = served;
  const { params, response, status } = route;
  const { formPartBytesMax } = served.config;
  const options = {
    config: { ...routeConfig(domain, route, { action: "write", storeOf: () => undefined }), readsForm: true },
    // Small parts, names and boundaries need 64 KiB.
    bodyLimit: formPartBytesMax + 65_536,
    schema: { params, response: { [status]: response } },
  };
  app.post(path, options, async (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    const form = await formOf(request.headers["content-type"], request.body, formPartBytesMax);
    const id = key === undefined ? newEventId() : eventIdOfKey(route.scope(request.params), key);
    const event = route.toEvent(id, request.params, form);
    const acceptedAtMs =
      key === undefined ? Date.now() : await keys.bind(id, keys.contentOf(event), keyHeader, event.id);
    const encoded = encodeEvent(event);
    const trace = traceOf(reply);
    const outcome = await committed(commit, encoded, trace && { eventId: event.id, context: trace.context });
    trace?.end({ eventId: event.id, domain: domain.name, outcome });
    if (outcome !== "confirmed") return reject(reply, rejectionOfOutcome(outcome));
    // With a key, the event may be that of an earlier request.
    if (key === undefined) finder.remember(event, encoded.size);
    return reply.code(status).header("tally-event-id", event.id).send(route.respond(event, acceptedAtMs));
  });
}

const partsMax = 20;
// Parsed in one turn of the event loop: 64 KiB of empty parts take 20 ms.
const sliceBytes = 65_536;
// Encodings that leave bytes unchanged. The gateway does not decode base64.
const plainEncodings: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);

/** The parts of a multipart/form-data body, each as bytes, because some clients send texts as files and some send files
 * without a name. A form of up to 64 KiB takes about 20 µs. A larger one is read in slices, between which other
 * requests run. Throws InvalidInput, or PART_TOO_LARGE for a part of more than `partBytesMax`. */
export async function formOf(contentType: string | undefined, body: unknown, partBytesMax: number): Promise<Form> {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new InvalidInput("body", "multipart/form-data", undefined);
  if (contentType === undefined || !/^multipart\/form-data *(;|$)/i.test(contentType))
    throw unsupported("Content-Type", "multipart/form-data", contentType);
  const parts = new Map<string, FormPart>();
  let problem: Error | undefined;
  // True while the current slice contains no part data. Part headers and boundaries are short.
  let isIdle = true;
  const fail = (error: Error): void => void (problem ??= error);
  const fault = (expected: string, got: unknown): void => fail(new InvalidInput("body", expected, got));
  const parser = parserOf(contentType, partBytesMax, body.length + 1);
  parser.on("file", (name: string | undefined, part, _fileName, encoding, type) => {
    const chunks: Buffer[] = [];
    isIdle = false;
    part.on("data", (chunk: Buffer) => {
      isIdle = false;
      chunks.push(chunk);
    });
    part.on("limit", () =>
      fail(new ClientError(rejection("PART_TOO_LARGE", { part: String(name), max: partBytesMax }))),
    );
    part.on("error", () => fault("a whole form", "one that ends within a part"));
    part.on("end", () => {
      if (name === undefined) fault("a name for each part", "a part without");
      else if (parts.has(name)) fault("each part once", `${name} twice`);
      else if (!plainEncodings.has(encoding)) fault("parts as they are", encoding);
      else parts.set(name, { bytes: copyOf(chunks), type });
    });
  });
  parser.on("partsLimit", () => fault(`at most ${partsMax} parts`, "more"));
  parser.on("error", () => fault("a whole form", "one that ends early"));
  const finished = new Promise((resolve) => {
    parser.once("finish", resolve);
    parser.once("error", resolve);
  });
  let at = 0;
  for (; body.length - at > sliceBytes; at += sliceBytes) {
    isIdle = true;
    parser.write(body.subarray(at, at + sliceBytes));
    await nextTurn();
    if (isIdle) fault("a whole form", `${sliceBytes} bytes that are in no part`);
    if (problem !== undefined) throw problem;
  }
  parser.end(body.subarray(at));
  await finished;
  if (problem !== undefined) throw problem;
  return Object.fromEntries(parts);
}

/** Outside the pool of small buffers: an event that the finder keeps would keep the whole pool, or the request that the
 * chunks are views of, in memory. */
function copyOf(chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(bytes, at);
  return bytes;
}

function parserOf(contentType: string, partBytesMax: number, bufferedBytes: number) {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      isPartAFile: () => true,
      limits: { parts: partsMax, fileSize: partBytesMax, headerPairs: 50, headerSize: 8192 },
      fileHwm: bufferedBytes,
    });
  } catch {
    throw new InvalidInput("Content-Type", "multipart/form-data with a boundary", contentType);
  }
}
