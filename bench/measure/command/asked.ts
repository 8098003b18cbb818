import type { Command } from "commander";
import { WrongUsage } from "../wrong-usage.ts";
import type { Flags } from "./flags.ts";
import type { SweepFlags } from "./sweep-flags.ts";

/** The flags with their defaults, and which of them the user gave. */
export interface Asked<F = Flags> {
  readonly flags: F;
  readonly isGiven: (flag: keyof SweepFlags) => boolean;
}

/** Reads the flags of a command. Those of a subcommand may stand before its name too. */
export function askedOf<F extends Pick<Flags, "set"> = Flags>(command: Command): Asked<F> {
  const program = command.parent ?? command;
  const isGivenTo = (one: Command, flag: string): boolean => one.getOptionValueSource(flag) === "cli";
  const own = command.opts<F>();
  const first = program.opts<Flags>();
  const before = Object.entries(first).filter(([flag]) => isGivenTo(program, flag) && !isGivenTo(command, flag));
  const set = command === program ? own.set : [...first.set, ...own.set];
  return {
    flags: { ...own, ...Object.fromEntries(before), set },
    isGiven: (flag) => isGivenTo(command, flag) || isGivenTo(program, flag),
  };
}

/** Throws when the user gave one of these flags, which would be ignored. */
export function refuse({ isGiven }: Pick<Asked, "isGiven">, flags: readonly (keyof SweepFlags)[], why: string): void {
  const given = flags.find(isGiven);
  if (given !== undefined) throw new WrongUsage(`${asWritten(given)} ${why}`);
}

/** Throws when the user gave any other flag than these, which would be ignored. */
export function refuseOthers(
  { isGiven, flags }: Asked<SweepFlags>,
  allowed: readonly (keyof SweepFlags)[],
  why: string,
): void {
  // The keys are those of the options.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const all = Object.keys(flags) as readonly (keyof SweepFlags)[];
  refuse(
    { isGiven },
    all.filter((flag) => !allowed.includes(flag)),
    why,
  );
}

/** Throws when the user gave a flag that another given flag excludes in every mode. */
export function refuseExcluded(asked: Asked<Pick<Flags, "amount" | "target">>): void {
  const { amount, target } = asked.flags;
  if (amount !== undefined) refuse(asked, ["warmUp", "duration"], "cannot be combined with --amount");
  if (target !== undefined)
    refuse(
      asked,
      ["gateways", "set", "fill", "design", "durability"],
      "cannot be combined with --target, which is a running system",
    );
}

/** Throws when the user gave any flag before the name of a subcommand that has none of them. */
export function refuseBefore(program: Command, why: string): void {
  const ignored = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === "cli");
  if (ignored !== undefined) throw new WrongUsage(`${ignored.long}: ${why}`);
}

/** As on a command line. */
function asWritten(flag: keyof SweepFlags): string {
  return `--${flag.replace("P99", "-p99").replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
}
