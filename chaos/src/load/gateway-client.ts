import { Agent, request } from "node:http";
import type { ClientRequest } from "@tally/domains/workloads";

/** The outcome of one request. */
export type Reply =
  | { readonly name: "responded"; readonly status: number; readonly id: string; readonly text: string }
  /** The connection was refused, or ended before the response. */
  | { readonly name: "broken" }
  /** No response in time. */
  | { readonly name: "silent" };

const responseWithinMs = 10_000;

/** Sends events to one gateway over keep-alive connections. */
export class GatewayClient {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: string, connectionsMax: number) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  }

  /** Never rejects. */
  post({ path, body = "", contentType = "application/json" }: ClientRequest, key: string | undefined): Promise<Reply> {
    return new Promise((resolve) => {
      const sent = request(
        {
          agent: this.#agent,
          host: this.#url.hostname,
          port: this.#url.port,
          method: "POST",
          path,
          timeout: responseWithinMs,
          headers: {
            "content-type": contentType,
            "content-length": Buffer.byteLength(body),
            ...(key === undefined ? {} : { "idempotency-key": key }),
          },
        },
        (response) => {
          const { statusCode: status = 0, headers } = response;
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => (text += part));
          response.once("end", () =>
            resolve({ name: "responded", status, id: String(headers["tally-event-id"] ?? ""), text }),
          );
          response.once("error", () => resolve({ name: "broken" }));
        },
      );
      sent.once("timeout", () => {
        resolve({ name: "silent" });
        sent.destroy();
      });
      sent.once("error", () => resolve({ name: "broken" }));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
