import { Script } from "node:vm";
import { CommandError } from "../command-error.ts";

/** The spellings of a domain's name. */
export interface NameForms {
  /** "ticket-scans": folder, queues, ledger. */
  readonly name: string;
  /** "ticketScans": the constant. */
  readonly camel: string;
  /** "TicketScans": the type of its events. */
  readonly pascal: string;
  /** "ticket_scans": its table. */
  readonly snake: string;
}

// Longer names would make some lines of the files too long for the formatter; the ledger takes 32 characters.
const lengthMax = 24;

// Names of other migrations, and names that the modules of a domain import or cannot redeclare.
const taken = new Set(["access", "dead-letters", "define-domain", "global-this", "ledger", "undefined"]);

/** Throws a CommandError for an invalid name. */
export function nameForms(name: string): NameForms {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > lengthMax) {
    const expected = `at most ${lengthMax} lower-case letters and digits, with dashes between words, like ticket-scans`;
    throw new CommandError(`NAME: expected ${expected}; got ${JSON.stringify(name)}`, 2);
  }
  const pascal = name.replaceAll(/(?:^|-)./g, (start) => start.slice(-1).toUpperCase());
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  if (taken.has(name) || isReserved(camel)) {
    throw new CommandError(`NAME: "${name}" is already a name in the generated files; choose another`, 2);
  }
  return { name, camel, pascal, snake: name.replaceAll("-", "_") };
}

/** Whether a module cannot have a constant of this name, such as `delete`. Letters and digits only; compiled, never run. */
function isReserved(constant: string): boolean {
  try {
    void new Script(`"use strict"; async () => { const ${constant} = 0; };`);
    return false;
  } catch {
    return true;
  }
}
