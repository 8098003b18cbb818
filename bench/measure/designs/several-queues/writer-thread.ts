import { runThread } from "@tally/runtime";
import { startWriterThread, type WriterConfig } from "@tally/writer";
import { connectSpreadConsumer } from "./spread-consumer.ts";

/** A writer thread that consumes all queues of each domain. */
runThread<WriterConfig>((config, { index }) =>
  startWriterThread(config, index, { connectConsumer: connectSpreadConsumer }),
);
