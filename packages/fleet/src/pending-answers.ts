import { FleetError } from "./fleet-error.ts";
import type { FromThread, Question, ToThread } from "./protocol.ts";

interface Waiting {
  readonly settle: (outcome: { readonly answer: object } | FleetError) => void;
}

/** The questions that one thread has not answered yet. */
export class PendingAnswers {
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** Asks, and rejects with a FleetError when the answer is not there within `limitMs`. */
  ask(question: Question, send: (message: ToThread) => void, limitMs: number): Promise<object> {
    const request = ++this.#last;
    return new Promise((resolve, reject) => {
      const silent = new FleetError("THREAD_SILENT", `no answer to ${question} within ${limitMs} ms`);
      const timer = setTimeout(() => this.#settle(request, silent), limitMs);
      this.#waiting.set(request, {
        settle(outcome) {
          clearTimeout(timer);
          if (outcome instanceof FleetError) reject(outcome);
          else resolve(outcome.answer);
        },
      });
      send({ type: "ask", request, question });
    });
  }

  /** Takes what the thread said. An answer that nobody waits for any more is dropped. */
  take(message: Extract<FromThread, { type: "answer" | "refusal" }>): void {
    this.#settle(
      message.request,
      message.type === "answer" ? message : new FleetError("THREAD_REFUSED", message.reason),
    );
  }

  /** The thread is gone: nothing will be answered. */
  rejectAll(): void {
    for (const request of this.#waiting.keys()) {
      this.#settle(request, new FleetError("THREAD_GONE", "the thread exited before it answered"));
    }
  }

  #settle(request: number, outcome: { readonly answer: object } | FleetError): void {
    const waiting = this.#waiting.get(request);
    this.#waiting.delete(request);
    waiting?.settle(outcome);
  }
}
