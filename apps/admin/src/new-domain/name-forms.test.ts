import { expect, test } from "vitest";
import { nameForms } from "./name-forms.ts";

test("spells a name for each place", () => {
  expect(nameForms("ticket-scans2-a")).toEqual({
    name: "ticket-scans2-a",
    camel: "ticketScans2A",
    pascal: "TicketScans2A",
    snake: "ticket_scans2_a",
  });
  expect(nameForms("x").pascal).toBe("X");
});

test.each([
  "",
  "Tickets",
  "ticket_scans",
  "ticket--scans",
  "-tickets",
  "tickets-",
  "1st",
  "tickets\n",
  "../tickets",
  "tickets-of-all-the-trains",
])("%j is not a valid name", (name) => {
  expect(() => nameForms(name)).toThrow(/^NAME: expected at most 24 lower-case letters and digits, .*; got /);
});

test.each(["delete", "await", "let", "undefined", "global-this", "ledger", "dead-letters"])(
  "%s is valid as a name, but not as a constant or a migration",
  (name) => {
    expect(() => nameForms(name)).toThrow(`NAME: "${name}" is already a name in the generated files`);
  },
);
