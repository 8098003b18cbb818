import { createMetrics, metricsIn, poolMetrics, type PoolState } from "@tally/runtime";
import type { StoredFigures } from "./batch-writer.ts";

const help = {
  tally_writer_events_total: "Events committed, or found stored",
  tally_writer_changes_total: "Rows added or replaced; duplicates do not count",
  tally_writer_batches_total: "Batches committed, or found stored",
  tally_writer_dead_letters_total:
    "Dead letters kept, by stage: rejected, conflict, message, delivery; one that comes again counts again",
  tally_writer_parked_total: "Events that wait for another one, such as a refund for its sale",
  tally_writer_wait_seconds: "Time from the delivery of a transaction's oldest batch to the start of the transaction",
  tally_writer_transaction_seconds: "Duration of a transaction, with its retries",
  tally_writer_stored_after_seconds:
    "Time from the sealing of a transaction's oldest batch by the gateway to its commit",
  tally_writer_announce_seconds: "Time from the commit of a batch to the confirm of its ranking message",
};
const hopSeconds = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const storedAfterSeconds = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60];

/** Metrics of one writer thread, updated once for each transaction or batch. `pools` is called when they are read. */
export function writerMetrics(thread: number, pools: () => readonly PoolState[]) {
  const registry = createMetrics(thread);
  const { counter, histogram } = metricsIn(registry, help);
  const events = counter("tally_writer_events_total", "domain");
  const changes = counter("tally_writer_changes_total", "domain");
  const batches = counter("tally_writer_batches_total", "domain");
  const deadLetters = counter("tally_writer_dead_letters_total", "domain", "stage");
  const parked = counter("tally_writer_parked_total", "domain");
  const waitSeconds = histogram("tally_writer_wait_seconds", hopSeconds, "domain");
  const transactionSeconds = histogram("tally_writer_transaction_seconds", hopSeconds, "domain");
  const behindSeconds = histogram("tally_writer_stored_after_seconds", storedAfterSeconds, "domain");
  const announceSeconds = histogram("tally_writer_announce_seconds", hopSeconds, "domain");
  return {
    registry,
    waitedForSession: poolMetrics(registry, pools),
    announced: (domain: string, ms: number): void => announceSeconds.observe({ domain }, ms / 1000),
    keptLetter: (domain: string, stage: string): void => deadLetters.inc({ domain, stage }),
    stored(domain: string, figures: StoredFigures): void {
      events.inc({ domain }, figures.events);
      changes.inc({ domain }, figures.changes);
      if (figures.conflicts > 0) deadLetters.inc({ domain, stage: "conflict" }, figures.conflicts);
      if (figures.rejected > 0) deadLetters.inc({ domain, stage: "rejected" }, figures.rejected);
      if (figures.parked > 0) parked.inc({ domain }, figures.parked);
      batches.inc({ domain }, figures.batches);
      waitSeconds.observe({ domain }, figures.waitedMs / 1000);
      transactionSeconds.observe({ domain }, figures.transactionMs / 1000);
      behindSeconds.observe({ domain }, figures.oldestMs / 1000);
    },
  };
}
