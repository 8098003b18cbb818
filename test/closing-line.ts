import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one line that a script can read: "N passed, N failed". */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      // A file that could not be loaded has no tests to count, but it has failed.
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        else if (state === "failed") failed++;
        else skipped++;
      }
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    // After the default reporter's summary, and after the services have stopped.
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}
