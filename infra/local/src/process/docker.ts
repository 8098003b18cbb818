import { findProgram, runCommand } from "./run-command.ts";

/** The docker program, or why Docker cannot be used here: the client can be installed without an engine. */
export async function findDocker(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly program?: string; readonly reason?: string }> {
  const docker = findProgram(["docker"], environment);
  if (docker === undefined) return { reason: "the program docker is not installed" };
  const succeeds = async (...args: readonly string[]): Promise<boolean> => {
    const { exitCode, output } = await runCommand(docker, args, { environment, timeoutMs: 10_000 });
    return exitCode === 0 && output.trim() !== "";
  };
  const [compose, engine] = await Promise.all([
    succeeds("compose", "version"),
    succeeds("info", "--format", "{{.ServerVersion}}"),
  ]);
  if (!compose) return { reason: "docker has no Compose plugin" };
  return engine ? { program: docker } : { reason: "no Docker engine responds" };
}

/** Docker's arguments that end a Compose project. `keepData` false: at once, and without its volumes. */
export const endOf = (project: string, { keepData }: { readonly keepData: boolean }): readonly string[] => [
  "compose",
  "--project-name",
  project,
  ...(keepData ? ["stop"] : ["down", "--volumes", "--timeout", "0"]),
];

export type Container = ReturnType<typeof openContainer>;

export function openContainer(docker: string, name: string, environment: NodeJS.ProcessEnv) {
  const run = (...args: readonly string[]) => runCommand(docker, [...args, name], { environment });
  let sent: Promise<unknown> = Promise.resolve();
  return {
    /** Sends a signal to the server. Does not wait, and never throws. */
    signal(signal: NodeJS.Signals): void {
      const all = { SIGSTOP: ["pause"], SIGCONT: ["unpause"] } as const;
      const args = signal === "SIGSTOP" || signal === "SIGCONT" ? all[signal] : ["kill", "--signal", signal];
      // In their order. A signal to a container that has ended fails, and has no effect.
      sent = sent.then(() => run(...args));
    },
    /** The pid of the running server on this machine. */
    async pid() {
      const { output } = await run("inspect", "--format", "{{.State.Pid}}");
      return Number(output) || undefined;
    },
  };
}
