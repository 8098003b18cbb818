import { Script } from "node:vm";
import { CommandError } from "../exit-for-fault.ts";

/** How a domain's name is written in the places that it stands in. */
export interface NameForms {
  /** "ticket-scans": the folder, the queues, the ledger. */
  readonly name: string;
  /** "ticketScans": the constant. */
  readonly camel: string;
  /** "TicketScans": in the name of the type of its events. */
  readonly pascal: string;
  /** "ticket_scans": in the name of its table. */
  readonly snake: string;
}

// Longer ones would break lines of the files that are laid out; the ledger has room for 32.
const lengthMax = 24;

// Migrations that go by these names, and what the modules of a domain cannot name anew.
const taken = new Set(["access", "dead-letters", "define-domain", "global-this", "ledger", "undefined"]);

/** Throws a CommandError for what cannot be the name of a domain. */
export function nameForms(name: string): NameForms {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > lengthMax) {
    const expected = `at most ${lengthMax} lower-case letters and digits, with dashes between words, like ticket-scans`;
    throw new CommandError(`NAME: expected ${expected}; got ${JSON.stringify(name)}`, 2);
  }
  const pascal = name.replaceAll(/(?:^|-)./g, (start) => start.slice(-1).toUpperCase());
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  if (taken.has(name) || isReserved(camel)) {
    throw new CommandError(`NAME: "${name}" means something else already; choose another`, 2);
  }
  return { name, camel, pascal, snake: name.replaceAll("-", "_") };
}

/** Whether a module may not call a constant so, like `delete`. Letters and digits only; compiled, never run. */
function isReserved(constant: string): boolean {
  try {
    void new Script(`"use strict"; async () => { const ${constant} = 0; };`);
    return false;
  } catch {
    return true;
  }
}
