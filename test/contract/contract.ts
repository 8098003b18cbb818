import type { System } from "@tally/local";
import type { Database } from "@tally/database";
import { idsOf, type Acknowledgements } from "../http/acknowledgements.ts";
import type { HttpResponse } from "../http/read-responses.ts";

/** The one system that all contract tests share. Every POST must be recorded: at the end nothing else may be stored. */
export interface Contract {
  /** Two gateways; the second remembers no albums. */
  readonly system: () => System;
  readonly database: () => Database;
  readonly acknowledgements: Acknowledgements;
}

/** Records what a response acknowledges, and returns the response. */
export function recorded<T extends HttpResponse>({ acknowledgements }: Contract, response: T): T {
  for (const { id } of idsOf(response)) acknowledgements.add({ id, by: "a contract test", content: undefined });
  return response;
}
