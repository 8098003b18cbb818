import { runThread } from "@tally/runtime";
import type { WriterConfig } from "./config.ts";
import { startWriterThread } from "./thread.ts";

runThread<WriterConfig>((config, { index }) => startWriterThread(config, index));
