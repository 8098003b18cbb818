import { expect, test } from "vitest";
import { nameForms } from "./name-forms.ts";

test("a name is written as each place wants it", () => {
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
])("%j is no name", (name) => {
  expect(() => nameForms(name)).toThrow(/^NAME: expected at most 24 lower-case letters and digits, .*; got /);
});

test.each(["delete", "await", "let", "undefined", "global-this", "ledger", "dead-letters"])(
  "%s is a name, but not for a constant or not for tables",
  (name) => {
    expect(() => nameForms(name)).toThrow(`NAME: "${name}" means something else already`);
  },
);
