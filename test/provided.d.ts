import type { Accounts, Addresses } from "@tally/local";

/** What every test may use: real servers of this run only, with a database whose name ends in _test. The addresses are
 * the administrator's. */
interface TestServices extends Addresses {
  readonly accounts: Accounts;
}

declare module "vitest" {
  interface ProvidedContext {
    services: TestServices;
    /** Where the servers' logs and passwords are; empty for servers that the environment names. */
    servicesDirectory: string;
  }
}
