import { runFleetApp } from "@tally/fleet";
import { readConfigOrExit } from "@tally/service";
import { rankerSettings } from "./config.ts";

await runFleetApp("ranker", readConfigOrExit(rankerSettings), new URL("thread.ts", import.meta.url));
