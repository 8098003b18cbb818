import type { Accounts, Addresses } from "@tally/local";

/** What every test may use: real servers of this run only, with a database whose name ends in _test. The addresses are
 * the administrator's. */
interface TestServices extends Addresses {
  readonly accounts: Accounts;
}

declare module "vitest" {
  interface ProvidedContext {
    services: TestServices;
    /** The directory of this run. A later run ends and deletes what this one has left there. */
    runDirectory: string;
    /** Where the logs and passwords of installed servers are; empty for others. */
    servicesDirectory: string;
  }
}
