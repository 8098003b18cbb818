import { runFleetApp } from "@tally/fleet";
import { readConfigOrExit } from "@tally/service";
import { writerSettings } from "@tally/writer";

/* The writer of several-queues, started instead of the app's main.ts. */

await runFleetApp("writer", readConfigOrExit(writerSettings), new URL("writer-thread.ts", import.meta.url));
