import { performance } from "node:perf_hooks";
import type { ClientRequest } from "@tally/domains/workloads";
import { errors, type Dispatcher } from "undici";
import type { Recorder } from "./recorder.ts";

/** "failed": a status other than 2xx, or no response in time. "broken": the connection was refused or ended. `id` is the event's. */
export type Outcome =
  | { readonly name: "accepted"; readonly id: string | undefined }
  | { readonly name: "failed" }
  | { readonly name: "broken" };

const eventIdHeader = "tally-event-id";
const failed = { name: "failed" } as const;
const broken = { name: "broken" } as const;

/** Sends a request and records its outcome; never rejects. Its time counts from `dueAt`, in ms of performance.now(). */
export function send(
  dispatcher: Dispatcher,
  { method, path, body, contentType = "application/json" }: ClientRequest,
  dueAt: number,
  { recorder, responseWithinMs }: { readonly recorder: Recorder; readonly responseWithinMs: number },
): Promise<Outcome> {
  const isRead = method === "GET";
  return new Promise((resolve) => {
    let status = 0;
    let id: string | undefined;
    dispatcher.dispatch(
      { method, path, body: body ?? null, headers: body === undefined ? [] : ["content-type", contentType] },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          const value = headers[eventIdHeader];
          if (typeof value === "string") id = value;
        },
        onResponseData: () => undefined,
        onResponseEnd() {
          recorder.responded(status, (performance.now() - dueAt) * 1000, id, isRead);
          resolve(status >= 200 && status < 300 ? { name: "accepted", id } : failed);
        },
        onResponseError(_controller, error) {
          const waitedMs = performance.now() - dueAt;
          const isLate = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
          // A request that still waits for a connection when the load ends has waited too long as well.
          if (isLate || waitedMs >= responseWithinMs) {
            recorder.timedOut(Math.max(responseWithinMs, waitedMs) * 1000, isRead);
            resolve(failed);
          } else {
            recorder.broken(isRead);
            resolve(broken);
          }
        },
      },
    );
  });
}
