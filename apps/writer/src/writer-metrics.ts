import { Counter, createMetrics, Histogram } from "@tally/service";
import type { StoredFigures } from "./batch-writer.ts";

/** Metrics of one writer thread, updated once for each transaction. */
export function writerMetrics(thread: number) {
  const registry = createMetrics({ thread });
  const registers = [registry];
  const labelNames = ["domain"] as const;
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const events = counter("tally_writer_events_total", "Events committed");
  const changes = counter("tally_writer_changes_total", "Rows added or replaced; duplicates do not count");
  const conflicts = counter(
    "tally_writer_key_conflicts_total",
    "Events that became dead letters because their Idempotency-Key belongs to a stored event with other content",
  );
  const batches = counter("tally_writer_batches_total", "Batches committed");
  const transactionSeconds = new Histogram({
    name: "tally_writer_transaction_seconds",
    help: "Duration of a transaction, with its retries",
    labelNames,
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers,
  });
  const behindSeconds = new Histogram({
    name: "tally_writer_stored_after_seconds",
    help: "Time from the sealing of a batch by the gateway to its commit, for the oldest batch of each transaction",
    labelNames,
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60],
    registers,
  });
  return {
    registry,
    stored(domain: string, figures: StoredFigures): void {
      events.inc({ domain }, figures.events);
      changes.inc({ domain }, figures.changes);
      if (figures.conflicts > 0) conflicts.inc({ domain }, figures.conflicts);
      batches.inc({ domain }, figures.batches);
      transactionSeconds.observe({ domain }, figures.transactionMs / 1000);
      behindSeconds.observe({ domain }, figures.oldestMs / 1000);
    },
  };
}
