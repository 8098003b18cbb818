import { idsOf, type Acknowledgements } from "../http/acknowledgements.ts";
import { RawConnection } from "../http/raw-connection.ts";
import { readResponses, type HttpResponse } from "../http/read-responses.ts";
import { errorFaults } from "../http/run-case.ts";
import { contentsOf } from "./contents-of.ts";
import type { Asked, Mutation } from "./mutation.ts";
import { bytesOf, headerOf, readRequest, type RequestModel } from "./request-model.ts";

const withinMs = 20_000;
const accepted: ReadonlySet<number> = new Set([200, 201]);
const known: ReadonlySet<number> = new Set([200, 201, 207, 400, 404, 405, 406, 409, 411, 413, 414, 415, 417, 422, 431]);

/** What a run of mutations has seen. */
export interface Seen {
  readonly acknowledgements: Acknowledgements;
  readonly statuses: Map<number, number>;
  requests: number;
  /** Whole requests without a response: their outcome is unknown. */
  withoutResponse: number;
}

const closes = ({ headers }: HttpResponse): boolean => headers.get("connection") === "close";
const shown = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1", 0, 300));

/** Sends mutations one after the other on one kept-alive connection, and opens it again when the server has closed it. */
export class Lane {
  readonly #url: string;
  readonly #seen: Seen;
  #connection: RawConnection | undefined;

  constructor(url: string, seen: Seen) {
    this.#url = url;
    this.#seen = seen;
  }

  /** Returns everything that is wrong with the responses, one text for each. */
  async run(mutation: Mutation, n: number): Promise<readonly string[]> {
    const by = `mutation ${n} (${mutation.name})`;
    try {
      const found: string[] = [];
      if (mutation.kind === "own") found.push(...(await this.#runOwn(mutation.bytes, by)));
      else
        for (const requests of mutation.together ? [mutation.requests] : mutation.requests.map((request) => [request]))
          found.push(...(await this.#exchange(requests, mutation.cuts, by)));
      return found.map((fault) => `${by}: ${fault}`);
    } catch (error) {
      this.end();
      return [`${by}: ${String(error)}`];
    }
  }

  end(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #exchange(requests: readonly Asked[], cuts: readonly number[], by: string): Promise<readonly string[]> {
    if (this.#connection?.closed !== false) this.#connection = new RawConnection(this.#url, { withinMs });
    const connection = this.#connection;
    const bytes = Buffer.concat(requests.map(({ model }) => bytesOf(model)));
    for (const [index, end] of [...cuts, bytes.length].entries())
      await connection.write(bytes.subarray(cuts[index - 1] ?? 0, end));
    this.#seen.requests += requests.length;

    const found: string[] = [];
    for (const [index, { model, outcome }] of requests.entries()) {
      const [response] = await connection.responses(1, () => model.method);
      if (response === undefined) {
        const lost = requests.length - index;
        this.#seen.withoutResponse += lost;
        return [
          ...found,
          `no response to ${lost} of ${requests.length} requests: ${String(connection.failed ?? "closed")}`,
        ];
      }
      found.push(...this.#judge(response, model, by));
      if (outcome === "accepted" && !accepted.has(response.status))
        found.push(`a valid request got ${response.status} ${response.body.slice(0, 200)}: ${describe(model)}`);
      if (!closes(response)) continue;
      // The server closes; nothing more may come.
      const rest = await connection.untilClosed();
      this.end();
      return rest.length === 0 ? found : [...found, `bytes behind the last response: ${shown(rest)}`];
    }
    return found;
  }

  async #runOwn(bytes: Buffer, by: string): Promise<readonly string[]> {
    const connection = new RawConnection(this.#url, { withinMs });
    await connection.write(bytes);
    connection.endSending();
    const received = await connection.untilClosed();
    const models = wholeRequests(bytes);
    const isHead = bytes.toString("latin1", 0, 5) === "HEAD ";
    const methodOf = (nth: number): string => models[nth]?.method ?? (isHead ? "HEAD" : "GET");
    const { responses, rest } = readResponses(received, true, { methodOf });
    this.#seen.requests++;
    const lost = responses.slice(0, models.length).some(closes) ? 0 : Math.max(0, models.length - responses.length);
    this.#seen.withoutResponse += lost;
    return [
      ...(rest.length > 0 ? [`half a response: ${shown(rest)}`] : []),
      ...(lost > 0 ? [`no response to ${lost} of ${models.length} whole requests: ${shown(bytes)}`] : []),
      ...(responses.length === 0 && bytes.length > 0 ? [`no response: ${shown(bytes)}`] : []),
      ...responses.flatMap((response, index) => this.#judge(response, models[index], by)),
    ];
  }

  #judge(response: HttpResponse, model: RequestModel | undefined, by: string): readonly string[] {
    const { acknowledgements, statuses } = this.#seen;
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const ids = idsOf(response);
    const contents = model === undefined ? [] : contentsOf(model);
    for (const { id, index } of ids) acknowledgements.add({ id, by, content: contents[index] });
    return [
      ...(known.has(status) || isOfForeignPage(response, model)
        ? []
        : [`status ${status}: ${response.body.slice(0, 200)}`]),
      ...(model?.method === "HEAD" ? [] : errorFaults(response)),
      ...(model?.method === "POST" && accepted.has(status) && ids.length === 0
        ? ["a 2xx to a POST without an event"]
        : []),
      ...ids
        .filter(({ index }) => model !== undefined && contents[index] === undefined)
        .map(({ index }) => `a 2xx for entry ${index}, which holds no event: ${describe(model)}`),
    ];
  }
}

/** Without keys, a request that names a page of another site is rejected. */
function isOfForeignPage({ status, body }: HttpResponse, model: RequestModel | undefined): boolean {
  const named = model !== undefined && headerOf(model, "origin") !== undefined;
  return named && status === 403 && body.includes("another site's page");
}

/** The whole, unambiguous requests at the start of some bytes. */
function wholeRequests(bytes: Buffer): readonly RequestModel[] {
  const models: RequestModel[] = [];
  for (let found = readRequest(bytes); found !== undefined; found = readRequest(found.rest)) models.push(found.model);
  return models;
}

const describe = (model: RequestModel | undefined): string =>
  model === undefined ? "unknown" : JSON.stringify(bytesOf(model).toString("latin1", 0, 600));
