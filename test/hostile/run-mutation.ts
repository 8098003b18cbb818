import { idsOf, type Acknowledgements } from "./acknowledgements.ts";
import { readAnswers, type Answer } from "./answers.ts";
import { HostileConnection } from "./connection.ts";
import { contentsOf } from "./contents-of.ts";
import type { Mutation } from "./mutation.ts";
import { bytesOf, readRequest, type RequestModel } from "./request-model.ts";
import { errorFaults } from "./run-case.ts";

const hangAfterMs = 20_000;
const accepted: ReadonlySet<number> = new Set([200, 201]);
const known: ReadonlySet<number> = new Set([200, 201, 207, 400, 404, 405, 406, 409, 411, 413, 414, 415, 417, 422, 431]);

/** What a run of mutations has seen. */
export interface Seen {
  readonly acknowledgements: Acknowledgements;
  readonly statuses: Map<number, number>;
  requests: number;
  /** Requests that came whole and were not answered: what became of them is unknown. */
  unanswered: number;
}

/** Sends mutations one after the other on one kept-alive connection, which it opens again when the server has closed it. */
export class Lane {
  readonly #url: string;
  readonly #seen: Seen;
  #connection: HostileConnection | undefined;

  constructor(url: string, seen: Seen) {
    this.#url = url;
    this.#seen = seen;
  }

  /** Returns everything that is wrong with the responses, a sentence for each. */
  async run(mutation: Mutation, n: number): Promise<readonly string[]> {
    const by = `mutation ${n} (${mutation.name})`;
    try {
      const found = mutation.kind === "kept" ? await this.#keep(mutation, by) : await this.#runOwn(mutation.bytes, by);
      return found.map((fault) => `${by}: ${fault}`);
    } catch (error) {
      this.#connection?.destroy();
      this.#connection = undefined;
      return [`${by}: ${String(error)}`];
    }
  }

  end(): void {
    this.#connection?.destroy();
  }

  async #keep({ requests, together, cuts }: Extract<Mutation, { readonly kind: "kept" }>, by: string) {
    if (!together) {
      const found: string[] = [];
      for (const request of requests) found.push(...(await this.#exchange([request], [], by)));
      return found;
    }
    return this.#exchange(requests, cuts, by);
  }

  async #exchange(
    requests: Extract<Mutation, { readonly kind: "kept" }>["requests"],
    cuts: readonly number[],
    by: string,
  ) {
    const connection = this.#open();
    const bytes = Buffer.concat(requests.map(({ model }) => bytesOf(model)));
    for (const [index, end] of [...cuts, bytes.length].entries()) {
      await connection.write(bytes.subarray(cuts[index - 1] ?? 0, end));
    }
    const answers = await this.#answersOf(
      connection,
      requests.map(({ model }) => model),
    );
    this.#seen.requests += requests.length;
    const closes = answers.findIndex(({ headers }) => headers.get("connection") === "close");
    if (closes >= 0) await this.#close(connection);
    const lost = closes >= 0 ? 0 : requests.length - answers.length;
    this.#seen.unanswered += lost;
    return [
      ...(lost > 0
        ? [`${lost} of ${requests.length} requests were not answered: ${String(connection.failed ?? "closed")}`]
        : []),
      ...answers.flatMap((answer, index) => {
        const request = requests[index];
        if (request === undefined) return ["a response that no request asked for"];
        return this.#judge(answer, request.model, by).concat(outcomeFaults(answer, request.outcome, request.model));
      }),
    ];
  }

  /** Responses up to the first that closes the connection. */
  async #answersOf(connection: HostileConnection, models: readonly RequestModel[]): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < models.length) {
      const [answer] = await connection.answers(1, () => models[answers.length]?.method ?? "GET");
      if (answer === undefined) break;
      answers.push(answer);
      if (answer.headers.get("connection") === "close") break;
    }
    return answers;
  }

  #open(): HostileConnection {
    if (this.#connection === undefined || this.#connection.closed) {
      this.#connection = new HostileConnection(this.#url, hangAfterMs);
    }
    return this.#connection;
  }

  /** The server closes; nothing more may come. */
  async #close(connection: HostileConnection): Promise<void> {
    this.#connection = undefined;
    const rest = await connection.end();
    connection.destroy();
    if (rest.length > 0)
      throw new Error(`bytes behind the last response: ${JSON.stringify(rest.toString("latin1", 0, 200))}`);
  }

  async #runOwn(bytes: Buffer, by: string): Promise<readonly string[]> {
    const connection = new HostileConnection(this.#url, hangAfterMs);
    await connection.write(bytes);
    connection.halfClose();
    const received = await connection.end();
    connection.destroy();
    const models = wholeRequests(bytes);
    const isHead = bytes.toString("latin1", 0, 5) === "HEAD ";
    const { answers, rest } = readAnswers(received, true, (nth) => models[nth]?.method ?? (isHead ? "HEAD" : "GET"));
    this.#seen.requests++;
    const closes = answers.findIndex(({ headers }) => headers.get("connection") === "close");
    const lost = closes >= 0 && closes < models.length ? 0 : Math.max(0, models.length - answers.length);
    this.#seen.unanswered += lost;
    return [
      ...(rest.length > 0 ? [`half a response: ${JSON.stringify(rest.toString("latin1", 0, 200))}`] : []),
      ...(lost > 0
        ? [
            `${lost} of ${models.length} whole requests were not answered: ${JSON.stringify(bytes.toString("latin1", 0, 300))}`,
          ]
        : []),
      ...(answers.length === 0 && bytes.length > 0
        ? [`no response: ${JSON.stringify(bytes.toString("latin1", 0, 300))}`]
        : []),
      ...answers.flatMap((answer, index) => this.#judge(answer, models[index], by)),
    ];
  }

  #judge(answer: Answer, model: RequestModel | undefined, by: string): readonly string[] {
    const { acknowledgements, statuses } = this.#seen;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const ids = idsOf(answer);
    const contents = model === undefined ? [] : contentsOf(model);
    for (const { id, index } of ids) acknowledgements.add({ id, by, content: contents[index] });
    const isSilent = model?.method === "POST" && accepted.has(answer.status) && ids.length === 0;
    return [
      ...(known.has(answer.status) ? [] : [`status ${answer.status}: ${answer.bytes.toString("utf8", 0, 200)}`]),
      ...(model?.method === "HEAD" ? [] : errorFaults(answer)),
      ...(isSilent ? ["a 2xx to a POST without an event"] : []),
      ...ids
        .filter(({ index }) => model !== undefined && contents[index] === undefined)
        .map(({ index }) => `a 2xx for what says nothing, entry ${index}: ${describe(model)}`),
    ];
  }
}

function outcomeFaults(
  { status, bytes }: Answer,
  outcome: "accepted" | "any" | "reused",
  model: RequestModel,
): readonly string[] {
  const isRide = /\/review\/|skiers/.test(model.target);
  if (outcome === "accepted" && !accepted.has(status)) {
    return [`a valid request was answered ${status} ${bytes.toString("utf8", 0, 200)}: ${describe(model)}`];
  }
  if (outcome === "reused" && !isRide && status !== 422 && status !== 409) {
    return [`a key with other content was answered ${status}: ${describe(model)}`];
  }
  return [];
}

/** The requests that stand in bytes one after the other, as far as they are whole and clear. */
function wholeRequests(bytes: Buffer): readonly RequestModel[] {
  const models: RequestModel[] = [];
  for (let rest = bytes; ;) {
    const found = readRequest(rest);
    if (found === undefined) return models;
    models.push(found.model);
    rest = found.rest;
  }
}

const describe = (model: RequestModel | undefined): string =>
  model === undefined ? "unknown" : JSON.stringify(bytesOf(model).toString("latin1", 0, 600));
