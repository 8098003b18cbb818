import { runFleetApp } from "@tally/fleet";
import { readConfigOrExit } from "@tally/service";
import { writerSettings } from "./config.ts";

await runFleetApp("writer", readConfigOrExit(writerSettings), new URL("thread-main.ts", import.meta.url));
