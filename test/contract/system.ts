import { RawConnection, type HttpResponse } from "../http/raw-connection.ts";
import { Acknowledgements } from "../http/stored.ts";
import { basePaths } from "../hostile/paths.ts";
import { clientBasePaths } from "./existing-clients.ts";
import { atEnd } from "@tally/local/at-end";
import { openDatabase, startSystem } from "../kit/system.ts";

/* The system of two gateways that all contract tests share. */

export const system = await startSystem(
  { BASE_PATHS: `${basePaths},${clientBasePaths}`, CURRENCY: "EUR" },
  { instances: { gateway: 2 } },
);
export const database = openDatabase(system);
export const acknowledgements = new Acknowledgements();

/** Records what a response acknowledges, and returns the response. At the end nothing else may be stored. */
export const recorded = <T extends HttpResponse>(response: T): T =>
  acknowledgements.record(response, "a contract test");

/** A connection to a gateway until the end of the test. */
export function open(gateway = 0): RawConnection {
  const connection = new RawConnection(system.urls[gateway] ?? "");
  atEnd(() => connection.destroy());
  return connection;
}
