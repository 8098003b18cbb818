import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one line that a script can read: "N passed, N failed". */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap((module) => Array.from(module.children.allTests(), (test) => test.result().state));
    const count = (state: string): number => states.filter((one) => one === state).length;
    // A file that could not be loaded has no tests to count, but it has failed.
    const unloaded = modules.filter((module) => module.errors().length > 0).length;
    const [passed, failed] = [count("passed"), count("failed") + unloaded + errors.length];
    const skipped = states.length - passed - count("failed");
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    // After the default reporter's summary, and after the services have stopped.
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}
