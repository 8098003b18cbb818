import { type Database, keepLetters, type NewLetter } from "@tally/database";
import { backOff, Outage, type Log } from "@tally/runtime";

/** Stores dead letters that belong to no batch: whole messages. Retries while the database is down. */
export class LetterKeeper {
  readonly #database: Database;
  readonly #log: Log;
  readonly #onKept: (letter: NewLetter) => void;
  readonly #outage: Outage;
  readonly #inHand = new Set<Promise<void>>();

  /** `onKept` is called for each letter that is stored. */
  constructor(database: Database, log: Log, onKept: (letter: NewLetter) => void) {
    this.#database = database;
    this.#log = log;
    this.#onKept = onKept;
    this.#outage = new Outage(log, "keep dead letters");
  }

  /** Calls `kept` when the letter is stored: its delivery may be acknowledged then. */
  keep(letter: NewLetter, kept: () => void): void {
    const work = this.#keep(letter, kept).finally(() => this.#inHand.delete(work));
    this.#inHand.add(work);
  }

  async drain(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all(this.#inHand);
  }

  async #keep(letter: NewLetter, kept: () => void): Promise<void> {
    const { id, domain, stage, reason } = letter;
    for (let failures = 1; ; failures++) {
      try {
        await this.#database.transaction((transaction) => keepLetters(transaction, [letter]));
        this.#outage.worked();
        this.#log.error({ id, domain, stage, reason }, "dead letter");
        this.#onKept(letter);
        kept();
        return;
      } catch (error) {
        this.#outage.failed(error);
        await backOff(failures, error);
      }
    }
  }
}
